import type { ZxcvbnFactory } from '@zxcvbn-ts/core'

/** The names and the email address of the password's owner. Anybody would try these first. */
export interface PasswordOwner {
  email: string
  business_name: string
  first_name: string | null
  last_name: string | null
}

/** zxcvbn's second highest score: more than 100 million guesses (D131). */
const SCORE_MIN = 3
/** For what is left of a password without its owner's words: more than a million guesses. */
const REST_SCORE_MIN = 2
/** Only this many characters count. The time for an estimate grows with the square of the length. */
const LENGTH_JUDGED = 100
/** Bounds the time for passwords full of digits and signs that can stand for letters. The worst one takes 50 ms. */
const SUBSTITUTIONS_MAX = 20
/** Shorter words are ignored, because they occur in too many other words. */
const WORD_LENGTH_MIN = 3
const PRODUCT = ['partner', 'portal']
const TRADE = ['broker', 'finance', 'lender', 'mortgage']

/**
 * Why the password is too easy to guess, in a sentence for its owner. Undefined if the password is strong enough. If it
 * contains words of its owner, the rest must also be hard to guess, because guessers try these words with every common
 * ending.
 */
export async function findPasswordFault(password: string, owner: PasswordOwner): Promise<string | undefined> {
  const estimator = await loadEstimator()
  const words = wordsOf(owner)
  const text = lettersAndDigits(password.slice(0, LENGTH_JUDGED))
  const own = [...words.keys()]
    .filter((word) => text.includes(word))
    .toSorted((one, other) => other.length - one.length)
  const rest = own.reduce((left, word) => left.replaceAll(word, ''), text)
  const whole = estimator.check(password, [...words.keys()])
  const isWeak = whole.score < SCORE_MIN || (own.length > 0 && estimator.check(rest).score < REST_SCORE_MIN)
  if (!isWeak) return undefined
  const source = words.get(own[0] ?? '')
  if (source) return `It contains ${source}. Choose words that nobody can look up.`
  return REASONS[whole.feedback.warning ?? ''] ?? 'It is short and simple, so it can be guessed. Make it longer.'
}

type Source =
  | 'your business name'
  | 'your name'
  | 'your email address'
  | 'the name of this portal'
  | 'a word of this trade'

/** The words of the owner, of the product and of the trade, each with the place that it comes from. */
function wordsOf({ email, business_name, first_name, last_name }: PasswordOwner): Map<string, Source> {
  const texts: [string, Source][] = [
    ...TRADE.map((word): [string, Source] => [word, 'a word of this trade']),
    ...PRODUCT.map((word): [string, Source] => [word, 'the name of this portal']),
    [email, 'your email address'],
    [`${first_name ?? ''} ${last_name ?? ''}`, 'your name'],
    [business_name, 'your business name'],
  ]
  const words = texts.flatMap(([text, source]) =>
    [text, ...text.split(/[^\p{L}\p{N}]+/u)].map((word): [string, Source] => [lettersAndDigits(word), source]),
  )
  return new Map(words.filter(([word]) => word.length >= WORD_LENGTH_MIN))
}

function lettersAndDigits(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
}

const COMMON = 'Many people use this password or one like it.'
const IN_ORDER = 'It follows the order of the alphabet, the digits or the keyboard.'
const REPEATED = 'It repeats the same characters.'

/** The reasons for zxcvbn's warnings. */
const REASONS: Record<string, string> = {
  topTen: COMMON,
  topHundred: COMMON,
  common: COMMON,
  similarToCommon: COMMON,
  sequences: IN_ORDER,
  straightRow: IN_ORDER,
  keyPattern: IN_ORDER,
  simpleRepeat: REPEATED,
  extendedRepeat: REPEATED,
  dates: 'It is little more than a date.',
}

let estimator: Promise<ZxcvbnFactory> | undefined

/** Loads the estimator with the first new password, because loading takes a tenth of a second and 30 MB. */
function loadEstimator(): Promise<ZxcvbnFactory> {
  estimator ??= makeEstimator()
  return estimator
}

async function makeEstimator(): Promise<ZxcvbnFactory> {
  const [{ ZxcvbnFactory: Estimator }, { dictionary, adjacencyGraphs }] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
  ])
  return new Estimator({
    dictionary,
    graphs: adjacencyGraphs,
    maxLength: LENGTH_JUDGED,
    l33tMaxSubstitutions: SUBSTITUTIONS_MAX,
  })
}
