import {
  addPasskey,
  askForPasskey,
  beginPasskey,
  beginTotp,
  changeTeamSettings,
  confirmAccount,
  confirmTotp,
  finishSignIn,
  readSecondFactor,
  removePasskey,
  removeTotp,
  renewRecoveryCodes,
  signInWithPasskey,
} from '@portal/contract/second-factor.ts'
import type { Deps } from '../../deps.ts'
import type { Mount } from '../../platform/http/mount.ts'
import type { CallerMemory } from './caller-memory.ts'
import { confirmCaller } from './second-factor/confirm-account.ts'
import { readFactors, renewCodes } from './second-factor/factors.ts'
import { addPasskeyOf, beginPasskeyOf, removePasskeyOf } from './second-factor/passkeys.ts'
import { requireSecondFactorOf } from './second-factor/require-second-factor.ts'
import { askForPasskeyOf, finishSecondStep, signInByPasskey } from './second-factor/sign-in-steps.ts'
import { addTotpApp, beginTotpApp, removeTotpApp } from './second-factor/totp-app.ts'

export function secondFactorRoutes(mount: Mount, deps: Deps, callers: CallerMemory): void {
  const { db } = deps

  mount(finishSignIn, ({ body, ...call }) => finishSecondStep(deps, body, call))
  mount(askForPasskey, ({ body, ...call }) => askForPasskeyOf(deps, body.token, call))
  mount(signInWithPasskey, ({ body, ...call }) => signInByPasskey(deps, body.passkey, call))

  mount(confirmAccount, async ({ partner, body, ...call }) => {
    await confirmCaller(deps, partner, body, call)
    return {}
  })

  mount(readSecondFactor, ({ partner }) => readFactors(db, partner.personId))
  mount(beginTotp, ({ partner }) => beginTotpApp(deps, partner))
  mount(confirmTotp, async ({ partner, body, ...call }) => {
    const added = await addTotpApp(deps, partner, body.code, call)
    callers.forget()
    return added
  })
  mount(removeTotp, async ({ partner, security }) => {
    await removeTotpApp(deps, partner, security)
    callers.forget()
    return readFactors(db, partner.personId)
  })
  mount(beginPasskey, ({ partner }) => beginPasskeyOf(deps, partner))
  mount(addPasskey, async ({ partner, body, ...call }) => {
    const added = await addPasskeyOf(deps, partner, body, call)
    callers.forget()
    return added
  })
  mount(removePasskey, async ({ partner, params, security }) => {
    await removePasskeyOf(deps, partner, params.id, security)
    callers.forget()
    return readFactors(db, partner.personId)
  })
  mount(renewRecoveryCodes, async ({ partner, ...call }) => ({
    recovery_codes: await renewCodes(deps, partner, call),
  }))

  mount(changeTeamSettings, async ({ partner, body, security }) => {
    await requireSecondFactorOf(deps, partner, body.second_factor_required, security)
    callers.forget()
    return body
  })
}
