import { Invalid } from '../errors.ts'

interface Issue {
  code: string
  path: PropertyKey[]
  message: string
  keys?: string[]
}

/** Turns a failed parse into an answer: one message for each field. The answer's `error` is the first message (D5). */
export function invalidFromIssues(issues: readonly Issue[]): Invalid {
  const messages = new Map<string, string>()
  for (const [field, message] of issues.flatMap(messagesOf)) {
    if (!messages.has(field)) messages.set(field, message)
  }
  const [first] = messages.values()
  return new Invalid('VALIDATION', first ?? 'The body must be a JSON object', Object.fromEntries(messages))
}

/** A body can hold thousands of unknown fields. The answer names only some of them. */
const UNKNOWN_FIELDS_MAX = 20

function messagesOf(issue: Issue): [string, string][] {
  if (issue.code === 'unrecognized_keys') {
    const keys = (issue.keys ?? []).slice(0, UNKNOWN_FIELDS_MAX).map(shortened)
    return keys.map((key) => [key, `${key} is not a known field`])
  }
  if (issue.path.length === 0) return []
  const field = issue.path.map(String).join('.')
  const message = issue.message && issue.message !== 'Invalid input' ? issue.message : `${field} is not valid`
  return [[field, message]]
}

function shortened(key: string): string {
  return key.length > 50 ? `${key.slice(0, 50)}…` : key
}
