import type { Deps } from '../../deps.ts'
import { Invalid } from '../../errors.ts'
import { markEmailVerified, takeAccountToken } from './accounts.queries.ts'
import { hashToken } from './tokens.ts'

export async function verifyEmailAddress({ db }: Deps, token: string): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const partnerId = await takeAccountToken(tx, hashToken(token), 'verify-email')
    if (partnerId === undefined) {
      throw new Invalid('INVALID_VERIFICATION_TOKEN', 'This verification link is not valid or was already used.')
    }
    await markEmailVerified(tx, partnerId)
  })
}
