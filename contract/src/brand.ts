/** The portal's name unless the lender gives it another one (D115). The lead source of the same name never changes. */
export const DEFAULT_BRAND_NAME = 'Partner Portal'

/** The portal's name in the middle of a sentence: 'the Partner Portal', or the lender's name as it is. */
export function brandInSentence(name: string): string {
  return name === DEFAULT_BRAND_NAME ? `the ${name}` : name
}
