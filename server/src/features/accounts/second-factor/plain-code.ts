import { cleanCode } from '@portal/contract/clean-text.ts'

/** A code as people type and paste it, without its blanks and dashes of any kind. */
export function plainCode(code: string): string {
  return cleanCode(code)
    .normalize('NFKC')
    .replaceAll(/[\s\p{Pd}\u2212]/gu, '')
}
