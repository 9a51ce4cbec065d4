import type { Page } from '@playwright/test'
import { spend } from './session.ts'

/**
 * Gives the page's browser a virtual passkey device, which answers each request at once as if somebody had touched it.
 */
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
