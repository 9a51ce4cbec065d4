import { TOTP } from 'otpauth'
import { openAuthenticator } from './authenticator.ts'
import type { Answer, TestPortal } from './start-portal.ts'

interface Person {
  post(path: string, body?: unknown): Promise<Answer>
}

/** Sets up an authenticator app for the person, but enters no code to confirm it. */
export async function beginApp(portal: TestPortal, person: Person) {
  const begun = (await person.post('/account/totp')).body.data
  const totp = new TOTP({ secret: begun.secret })
  const codeAt = (ms = 0) => totp.generate({ timestamp: portal.deps.clock.now().getTime() + ms })
  return {
    otpauthUrl: String(begun.otpauth_url),
    codeAt,
    /** A different code each time, because a code works only once. */
    nextCode() {
      portal.advance(30_000)
      return codeAt()
    },
  }
}

/** Sets up an authenticator app for the person and confirms it. */
export async function addApp(portal: TestPortal, person: Person) {
  const app = await beginApp(portal, person)
  const firstCode = app.codeAt()
  const added = await person.post('/account/totp/confirm', { code: firstCode })
  const recoveryCodes: string[] = added.body.data.recovery_codes
  return { ...app, firstCode, recoveryCodes }
}

/** Makes a passkey for the person. Returns its device, and the call that adds the passkey to the account. */
export async function makePasskey(portal: TestPortal, person: Person, name = 'Phone') {
  const device = openAuthenticator(portal.deps.publicUrl)
  const { data } = (await person.post('/account/passkeys/options')).body
  const passkey = device.create(data)
  return { device, add: () => person.post('/account/passkeys', { name, passkey }) }
}

/** Adds a passkey for the person. Returns the device that keeps the passkey, and the portal's answer. */
export async function addPasskey(portal: TestPortal, person: Person, name?: string) {
  const { device, add } = await makePasskey(portal, person, name)
  return {
    device,
    added: await add(),
    /** The device's answer to a new challenge from the portal. */
    async answer(how?: { isVerified?: boolean; token?: string }) {
      const question = (await portal.post('/auth/passkey/options', { token: how?.token })).body.data
      return device.use(question, how)
    },
  }
}
