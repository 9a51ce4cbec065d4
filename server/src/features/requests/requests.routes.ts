import { answerRequest } from '@portal/contract/requests.ts'
import type { Deps } from '../../deps.ts'
import type { Mount } from '../../platform/http/mount.ts'
import { limitPartner } from '../accounts/limit-partner.ts'
import { answerLender } from './answer-request.ts'

export function requestRoutes(mount: Mount, deps: Deps): void {
  mount(answerRequest, async (call) => {
    const { partner, params, body } = call
    await limitPartner(deps, call, 'notes')
    return call.once((tx) => answerLender(tx, deps, partner, { id: params.id, content: body.content }))
  })
}
