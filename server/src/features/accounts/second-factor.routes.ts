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
import { PortalError } from '../../errors.ts'
import type { Mount } from '../../http/mount.ts'
import type { CallerMemory } from './caller-memory.ts'
import { confirmCaller } from './second-factor/confirm-account.ts'
import { readFactors, renewCodes } from './second-factor/factors.ts'
import { addPasskeyOf, beginPasskeyOf, removePasskeyOf } from './second-factor/passkeys.ts'
import { updateSecondFactorRequired } from './second-factor/second-factor.queries.ts'
import { askForPasskeyOf, finishSecondStep, signInByPasskey } from './second-factor/sign-in-steps.ts'
import { addTotpApp, beginTotpApp, removeTotpApp } from './second-factor/totp-app.ts'

export function secondFactorRoutes(mount: Mount, deps: Deps, callers: CallerMemory): void {
  const { db } = deps

  mount(finishSignIn, ({ body, ...call }) => finishSecondStep(deps, body, call))
  mount(askForPasskey, ({ body, ...call }) => askForPasskeyOf(deps, body.token, call))
  mount(signInWithPasskey, ({ body, ...call }) => signInByPasskey(deps, body.passkey, call))

  mount(confirmAccount, async ({ partner, body, limit, security }) => {
    try {
      await confirmCaller(deps, partner, body, limit)
    } catch (error) {
      if (error instanceof PortalError) await security(db, 'confirmation-failed', { reason: error.code })
      throw error
    }
    await security(db, 'confirmed')
    return {}
  })

  mount(readSecondFactor, ({ partner }) => readFactors(db, partner.personId))
  mount(beginTotp, ({ partner }) => beginTotpApp(deps, partner))
  mount(confirmTotp, async ({ partner, body, limit, security }) => {
    const added = await addTotpApp(deps, partner, body.code, limit)
    callers.forget()
    await security(db, 'totp-added')
    return added
  })
  mount(removeTotp, async ({ partner, security }) => {
    await removeTotpApp(deps, partner)
    callers.forget()
    await security(db, 'totp-removed')
    return readFactors(db, partner.personId)
  })
  mount(beginPasskey, ({ partner }) => beginPasskeyOf(deps, partner))
  mount(addPasskey, async ({ partner, body, limit, security }) => {
    const added = await addPasskeyOf(deps, partner, body, limit)
    callers.forget()
    await security(db, 'passkey-added')
    return added
  })
  mount(removePasskey, async ({ partner, params, security }) => {
    await removePasskeyOf(deps, partner, params.id)
    callers.forget()
    await security(db, 'passkey-removed')
    return readFactors(db, partner.personId)
  })
  mount(renewRecoveryCodes, async ({ partner, limit, security }) => {
    const recovery_codes = await renewCodes(deps, partner, limit)
    await security(db, 'recovery-codes-made')
    return { recovery_codes }
  })

  mount(changeTeamSettings, async ({ partner, body, security }) => {
    await updateSecondFactorRequired(db, partner.id, body.second_factor_required)
    callers.forget()
    await security(db, body.second_factor_required ? 'second-factor-required' : 'second-factor-optional')
    return body
  })
}
