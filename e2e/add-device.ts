import type { Page } from '@playwright/test'
import { spend } from './session.ts'

/** A device that answers passkey requests at once, as if it had been touched. */
export async function addDevice(page: Page) {
  spend(page)
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
}
