/** The message is one line for the operator: the variable, its value unless it is secret, and what is allowed. */
export class SettingsError extends Error {
  override name = 'SettingsError'
}

export type Given = Record<string, string | undefined>

export function refusal(given: Given, name: string, must: string): SettingsError {
  const value = given[name]
  if (value === undefined) return new SettingsError(`${name} is not set, but must ${must}`)
  if (isSecret(name)) return new SettingsError(`${name} is set (its value is not shown), but must ${must}`)
  return new SettingsError(`${name} is ${JSON.stringify(withoutCredentials(value))}, but must ${must}`)
}

function isSecret(name: string): boolean {
  return /_(?:SECRET|TOKEN)$|^(?:SECRETS_KEY|(?:DATABASE|DATABASE_DIRECT|DATABASE_READ|SMTP)_URL)$/.test(name)
}

/** An address pasted into the wrong variable may contain a password: `http://user:password@host`. */
function withoutCredentials(value: string): string {
  return value.replace(/\/\/[^/]*@/, '//…@')
}
