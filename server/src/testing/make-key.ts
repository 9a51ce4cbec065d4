import type { KeyRight } from '@portal/contract/key-rights.ts'
import type { TestPartner } from './start-portal.ts'

/** Makes an API key with a name, and returns the key. */
export async function makeKey(
  partner: Pick<TestPartner, 'post'>,
  rights: readonly KeyRight[],
  name = `System ${(made += 1)}`,
): Promise<string> {
  const answer = await partner.post('/dashboard/api-keys', { name, rights })
  if (answer.status !== 201) throw new Error(`the key was answered with ${JSON.stringify(answer.body)}`)
  return answer.body.data.api_key
}

let made = 0
