import { readSubmitted } from '@portal/contract/partner-api.ts'
import type { Deps } from '../../deps.ts'
import type { Mount } from '../../http/mount.ts'
import { getSubmitted } from './submitted.ts'

export function partnerApiRoutes(mount: Mount, deps: Deps): void {
  mount(readSubmitted, ({ partner, params }) => getSubmitted(deps.reads, partner, params.id))
}
