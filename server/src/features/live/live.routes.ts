import { readLive } from '@portal/contract/live.ts'
import { type Mount, Streamed } from '../../platform/http/mount.ts'
import { hashToken } from '../accounts/tokens.ts'
import type { Live } from './live.ts'

export function liveRoutes(mount: Mount, live: Live): void {
  mount(readLive, async ({ partner: { id, personId, role, personRights, token } }) => {
    const session = hashToken(token).toString('hex')
    return new Streamed((call) =>
      live.open({ partnerId: id, personId, hearing: { role, personRights }, session }, call),
    )
  })
}
