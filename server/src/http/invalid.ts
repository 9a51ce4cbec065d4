import { Invalid } from '../errors.ts'

interface Issue {
  code: string
  path: PropertyKey[]
  message: string
  keys?: string[]
}

/** A failed parse as an answer: one message a field, the first of them also as the text (D5). */
export function invalid(issues: readonly Issue[]): Invalid {
  const fields: Record<string, string> = {}
  for (const issue of issues) {
    for (const [field, message] of messages(issue)) {
      if (!Object.hasOwn(fields, field)) fields[field] = message
    }
  }
  const [first] = Object.values(fields)
  return new Invalid('VALIDATION', first ?? 'The body must be a JSON object', fields)
}

function messages(issue: Issue): [string, string][] {
  if (issue.code === 'unrecognized_keys') {
    return (issue.keys ?? []).map((key) => [key, `${shortened(key)} is not a known field`])
  }
  if (issue.path.length === 0) return []
  const field = issue.path.map(String).join('.')
  const message = issue.message && issue.message !== 'Invalid input' ? issue.message : `${field} is not valid`
  return [[field, message]]
}

function shortened(key: string): string {
  return key.length > 50 ? `${key.slice(0, 50)}…` : key
}
