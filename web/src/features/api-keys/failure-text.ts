import { Failure } from '../../api/failure.ts'

/** Section 8 has two texts for each call: 'Failed …' if the server refused the call, 'Error …' if no answer came. */
const TEXTS = {
  status: { refused: 'Failed to fetch API key status', broken: 'Error fetching API key status' },
  generate: { refused: 'Failed to generate API key', broken: 'Error generating API key' },
  revoke: { refused: 'Failed to revoke API key', broken: 'Error revoking API key' },
}

export function apiKeyFailureText(call: keyof typeof TEXTS, error: unknown): string {
  const isAnswered = error instanceof Failure && error.status > 0
  return TEXTS[call][isAnswered ? 'refused' : 'broken']
}
