import { reencryptSecrets } from '../platform/db/reencrypt-secrets.ts'
import { type Command, noPositional } from './command.ts'

export const rotateSecrets: Command = {
  name: 'secrets rotate',
  parameters: '',
  summary: 'Re-encrypts all secrets with the first key of SECRETS_KEY. The other keys can then be removed.',
  async run(given, workplace) {
    noPositional(rotateSecrets, given)
    const { db, secrets } = await workplace.database()
    const { encrypted, locked } = await reencryptSecrets(db, secrets)
    workplace.say(`Secrets encrypted with the first key: ${encrypted}`)
    if (locked === 0) return 0
    workplace.say(`Secrets that no key of SECRETS_KEY opens: ${locked}. Add the key that encrypted them.`)
    return 1
  },
}
