import { readLive } from '@portal/contract/live.ts'
import { type Mount, Streamed } from '../../http/mount.ts'
import type { Live } from '../../live/live.ts'
import { hashToken } from '../accounts/tokens.ts'

export function liveRoutes(mount: Mount, live: Live): void {
  mount(readLive, async ({ partner: { id, personId, role, token } }) => {
    const session = hashToken(token).toString('hex')
    return new Streamed((call) => live.open({ partnerId: id, personId, role, session }, call))
  })
}
