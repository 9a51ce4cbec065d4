/** The names and the email address of the password's owner. Anybody would try these first. */
export interface PasswordOwner {
  email: string
  business_name: string
  first_name: string | null
  last_name: string | null
}

const COMMON_PASSWORDS = 10_000
const PRODUCT = ['partner', 'portal']
/** Words shorter than this are ignored, because they occur in too many other words. */
const WORD_LENGTH_MIN = 3
/** Besides the words that anybody would try first, a password must have this many letters or this many digits. */
const LETTERS_LEFT_MIN = 4
const DIGITS_LEFT_MIN = 8

/**
 * Whether a password is easy to guess (D10): it is among the 10,000 most common, it repeats one character, or it
 * contains words from the product's name or the owner's names or email address and, without these words, is short or a
 * common password.
 */
export async function isGuessable(password: string, owner: PasswordOwner): Promise<boolean> {
  const text = password.toLowerCase()
  if (/^(.)\1*$/su.test(text) || (await isCommon(text))) return true
  const letters = lettersAndDigits(text)
  const rest = wordsOf(owner).reduce((left, word) => left.replaceAll(word, ''), letters)
  return rest !== letters && ((await isCommon(rest)) || isLittle(rest))
}

function isLittle(rest: string): boolean {
  const digits = rest.replaceAll(/\P{Nd}/gu, '').length
  return rest.length - digits < LETTERS_LEFT_MIN && digits < DIGITS_LEFT_MIN
}

/**
 * The words of the owner's names and email address and of the product's name, the longest first: 'harbourside' must be
 * removed before 'harbour'.
 */
function wordsOf({ email, business_name, first_name, last_name }: PasswordOwner): string[] {
  const names = [email.split('@')[0] ?? '', email, business_name, first_name ?? '', last_name ?? '']
  const words = names.flatMap((name) => [name, ...name.split(/[^\p{L}\p{N}]+/u)]).map(lettersAndDigits)
  return [...new Set([...words, ...PRODUCT])]
    .filter((word) => word.length >= WORD_LENGTH_MIN)
    .toSorted((one, other) => other.length - one.length)
}

function lettersAndDigits(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
}

let commonPasswords: Set<string> | undefined

async function isCommon(password: string): Promise<boolean> {
  // The list is read only when it is needed, because reading it takes 50 ms and would delay the portal's start.
  commonPasswords ??= await readCommonPasswords()
  return commonPasswords.has(password)
}

async function readCommonPasswords(): Promise<Set<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  return new Set(dictionary['passwords-common'].slice(0, COMMON_PASSWORDS))
}
