import { readSecurityLog } from '@portal/contract/security-log.ts'
import type { Deps } from '../../deps.ts'
import type { Mount } from '../../platform/http/mount.ts'
import { findSecurityEntries } from './security-log.queries.ts'

export function securityLogRoutes(mount: Mount, { db }: Deps): void {
  mount(readSecurityLog, ({ partner, query }) => findSecurityEntries(db, partner.id, query))
}
