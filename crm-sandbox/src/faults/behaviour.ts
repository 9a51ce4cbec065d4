import type { FastifyInstance } from 'fastify'
import type { Store } from '../store.ts'
import { isScope, SCOPES } from '../wire/scopes.ts'
import { isOffset } from '../wire/times.ts'
import { isObject } from '../wire/wire.ts'

/** A switch for each part of Zoho's behaviour that could not be confirmed, and a few that tests need (D43). */
export type Behaviour = {
  timesOffset: string
  clockShiftSeconds: number
  tokenLifetimeSeconds: number
  tokenThrottle: boolean
  tokenThrottleStatus: '200' | '400'
  tokenBlockSeconds: number
  tokenShowsScope: boolean
  scopesMissing: readonly string[]
  apiUserIsAdmin: boolean
  creditsPerDay: number
  concurrentCallsMax: number
  subConcurrentCallsMax: number
  errorsCostCredits: boolean
  methodNotAllowedStatus: '400' | '405'
  getMissing: '204' | '404' | '400'
  unknownFields: 'ignore' | 'refuse'
  lookupRefusalNames: 'field' | 'id'
  emptyStringIsNull: boolean
  layoutMandatoryEnforced: boolean
  emailRule: 'strict' | 'loose'
  leadEmailUnique: boolean
  loidUnique: boolean
  choicesMissing: readonly string[]
  workflowOnCreation: boolean
  ifModifiedSinceInclusive: boolean
  recordsShow: 'display' | 'actual'
  upsertOfConverted: 'refuse' | 'insert' | 'duplicate'
  conversionBumpsModifiedTime: boolean
  conversionFiresEdit: boolean
  conversionMovesNotes: boolean
  conversionMapsLoidAndPartner: boolean
  noteBumpsParent: boolean
  coqlReturnsConverted: boolean
  coqlKnowsConverted: boolean
  coqlLookupHasName: boolean
  coqlNeedsBracketsBeyondTwo: boolean
  searchLagSeconds: number
  deletedListsConverted: boolean
  deletedListMax: number
  deletedPages: 'numbers' | 'tokens'
  deletedOrder: 'newest-first' | 'oldest-first'
  stageHistoryTime: 'entry' | 'exit'
  stageHistoryOnAmountEdit: boolean
  timelineShowsNotes: boolean
  timelineEmptyOldValue: 'null' | 'blank'
  fieldsMade: 'each' | 'all-or-none'
  notifyNeedsHttps: boolean
  notifyAttemptsMax: number
  notifyDeleteWord: 'delete' | 'remove'
}

type Switch<T> = { default: T; meaning: string; choices?: readonly T[]; accepts(value: unknown): value is T }

function yesNo(initial: boolean, meaning: string): Switch<boolean> {
  return {
    default: initial,
    meaning,
    choices: [true, false],
    accepts: (value): value is boolean => typeof value === 'boolean',
  }
}

function oneOf<T extends string>(initial: NoInfer<T>, choices: readonly T[], meaning: string): Switch<T> {
  return {
    default: initial,
    meaning,
    choices,
    accepts: (value): value is T => choices.some((choice) => choice === value),
  }
}

function whole(initial: number, meaning: string, least = 0): Switch<number> {
  return {
    default: initial,
    meaning,
    accepts: (value): value is number => typeof value === 'number' && Number.isInteger(value) && value >= least,
  }
}

function listOf(isItem: (value: string) => boolean, meaning: string): Switch<readonly string[]> {
  return {
    default: [],
    meaning,
    accepts: (value): value is readonly string[] =>
      Array.isArray(value) && value.every((item) => typeof item === 'string' && isItem(item)),
  }
}

const SWITCHES: { [Name in keyof Behaviour]: Switch<Behaviour[Name]> } = {
  timesOffset: { default: '+10:00', meaning: 'Offset in which every time is shown.', accepts: isOffset },
  clockShiftSeconds: whole(0, 'Moves the sandbox’s clock forward, to see tokens, channels and page tokens expire.'),
  tokenLifetimeSeconds: whole(3600, 'Lifetime of access tokens issued from now on.', 1),
  tokenThrottle: yesNo(true, 'At most ten access tokens in ten minutes; more are refused with Access Denied.'),
  tokenThrottleStatus: oneOf('400', ['200', '400'], 'HTTP status of the throttle’s answer.'),
  tokenBlockSeconds: whole(0, 'How many seconds without a token request lift the throttle.'),
  tokenShowsScope: yesNo(true, 'The token answer names the scope.'),
  scopesMissing: listOf(
    isScope,
    `Scopes the refresh token lacks; calls that need one are refused: ${SCOPES.join(', ')}.`,
  ),
  apiUserIsAdmin: yesNo(true, 'The API user is an administrator, who alone may list the organisation’s notes.'),
  creditsPerDay: whole(100_000, 'API credits in a rolling 24 hours; a call beyond them gets 429.', 1),
  concurrentCallsMax: whole(20, 'Calls at once; a call beyond them gets 429.', 1),
  subConcurrentCallsMax: whole(
    10,
    'Searches, COQL, conversions, sorted lists and large writes at once; a call beyond them gets 429.',
    1,
  ),
  errorsCostCredits: yesNo(true, 'Calls that fail also cost credits.'),
  methodNotAllowedStatus: oneOf('400', ['400', '405'], 'HTTP status of INVALID_REQUEST_METHOD.'),
  getMissing: oneOf('204', ['204', '404', '400'], 'Answer to reading one record that is not there.'),
  unknownFields: oneOf('ignore', ['ignore', 'refuse'], 'What happens to a field that the module does not have.'),
  lookupRefusalNames: oneOf(
    'field',
    ['field', 'id'],
    'Whether the error for a lookup of a missing record names the field or the id within the field.',
  ),
  emptyStringIsNull: yesNo(true, 'An empty text is stored as null.'),
  layoutMandatoryEnforced: yesNo(false, 'The API also requires Company (Leads) and Closing_Date (Deals).'),
  emailRule: oneOf(
    'strict',
    ['strict', 'loose'],
    'Which texts an email field takes: addresses, or anything with an @.',
  ),
  leadEmailUnique: yesNo(false, 'Email is marked unique in Leads.'),
  loidUnique: yesNo(true, 'LOID is marked unique in Leads and Deals.'),
  choicesMissing: listOf(
    (value) => /^\w+\.\w+\../.test(value),
    'Values that picklists lack, as Module.Field.Value, for example Leads.Lead_Status.Lost Lead.',
  ),
  workflowOnCreation: yesNo(
    false,
    'A workflow moves new leads to Contact Soon and new deals to Consulting With Client in the second of their creation.',
  ),
  ifModifiedSinceInclusive: yesNo(false, 'If-Modified-Since includes records of exactly that second.'),
  recordsShow: oneOf(
    'display',
    ['display', 'actual'],
    'Whether records show the display value or the actual value of a renamed picklist value.',
  ),
  upsertOfConverted: oneOf(
    'refuse',
    ['refuse', 'insert', 'duplicate'],
    'Upsert that matches a converted lead: CONVERTED_RECORD, a new lead, or DUPLICATE_DATA.',
  ),
  conversionBumpsModifiedTime: yesNo(true, 'Conversion sets the lead’s Modified_Time.'),
  conversionFiresEdit: yesNo(true, 'Conversion notifies Leads.edit.'),
  conversionMovesNotes: yesNo(false, 'The lead’s notes move to the deal.'),
  conversionMapsLoidAndPartner: yesNo(true, 'The lead conversion mapping copies LOID and Partner to the deal.'),
  noteBumpsParent: yesNo(false, 'Adding a note sets its parent’s Modified_Time.'),
  coqlReturnsConverted: yesNo(true, 'COQL on Leads includes converted ones.'),
  coqlKnowsConverted: yesNo(true, 'COQL knows the column Converted__s; otherwise it answers INVALID_QUERY.'),
  coqlLookupHasName: yesNo(true, 'A lookup column in COQL is {name,id}; otherwise {id}.'),
  coqlNeedsBracketsBeyondTwo: yesNo(
    true,
    'COQL refuses more than two conditions unless they are bracketed in pairs: ((A and B) and C).',
  ),
  searchLagSeconds: whole(0, 'Search and count do not see changes younger than this.'),
  deletedListsConverted: yesNo(false, 'The deleted list of Leads includes converted leads.'),
  deletedListMax: whole(
    2_000,
    'How many deleted records can be listed by page number; a small number makes a test quicker.',
    200,
  ),
  deletedPages: oneOf(
    'numbers',
    ['numbers', 'tokens'],
    'How the deleted list is paged: by page number up to deletedListMax, or also with page tokens beyond it.',
  ),
  deletedOrder: oneOf('newest-first', ['newest-first', 'oldest-first'], 'Order of the deleted list.'),
  stageHistoryTime: oneOf('entry', ['entry', 'exit'], 'What Modified_Time of a stage history row means.'),
  stageHistoryOnAmountEdit: yesNo(false, 'An edit of the amount also adds a row to the stage history.'),
  timelineShowsNotes: yesNo(false, 'The parent’s timeline shows an added note.'),
  timelineEmptyOldValue: oneOf('null', ['null', 'blank'], 'How the timeline writes an empty old value.'),
  fieldsMade: oneOf(
    'each',
    ['each', 'all-or-none'],
    'When one of several custom fields made in one call is refused: the others are made, or none is.',
  ),
  notifyNeedsHttps: yesNo(false, 'Subscribing with an http URL is refused.'),
  notifyAttemptsMax: whole(3, 'How often a notification is tried before it is given up.', 1),
  notifyDeleteWord: oneOf('delete', ['delete', 'remove'], 'The operation named in a notification of a deletion.'),
}

export type BehaviourSwitches = {
  current(): Readonly<Behaviour>
  /**
   * Changes the named switches; null sets a switch back to its default. Returns a text that says what was wrong, or
   * undefined.
   */
  change(wanted: { [name: string]: unknown }): string | undefined
  clear(): void
}

export function behaviourSwitches(store: Store): BehaviourSwitches {
  let behaviour = defaults()
  const stored = store.readSetting('behaviour')
  if (isObject(stored)) {
    for (const name of Object.keys(stored).filter(isSwitchName)) set(behaviour, name, stored[name])
  }

  function save(next: Behaviour) {
    store.writeSetting('behaviour', next)
    behaviour = next
  }

  return {
    current: () => behaviour,
    change(wanted) {
      const next = { ...behaviour }
      for (const [name, value] of Object.entries(wanted)) {
        if (!isSwitchName(name)) return `${name} is not a switch; GET /sandbox/behaviour lists them`
        if (!set(next, name, value ?? SWITCHES[name].default)) return `${name} does not accept ${JSON.stringify(value)}`
      }
      save(next)
      return undefined
    },
    clear: () => save(defaults()),
  }
}

export function behaviourRoutes(app: FastifyInstance, switches: BehaviourSwitches) {
  function list() {
    const current = switches.current()
    return {
      switches: Object.keys(SWITCHES)
        .filter(isSwitchName)
        .map((name) => ({
          name,
          value: current[name],
          default: SWITCHES[name].default,
          choices: SWITCHES[name].choices ?? null,
          meaning: SWITCHES[name].meaning,
        })),
    }
  }

  app.get('/sandbox/behaviour', () => list())
  app.post('/sandbox/behaviour', (request, reply) => {
    if (!isObject(request.body)) return reply.code(400).send({ error: 'a JSON object of switches is needed' })
    const wrong = switches.change(request.body)
    return wrong ? reply.code(400).send({ error: wrong }) : list()
  })
}

function defaults(): Behaviour {
  const initial: Behaviour = {
    timesOffset: SWITCHES.timesOffset.default,
    clockShiftSeconds: SWITCHES.clockShiftSeconds.default,
    tokenLifetimeSeconds: SWITCHES.tokenLifetimeSeconds.default,
    tokenThrottle: SWITCHES.tokenThrottle.default,
    tokenThrottleStatus: SWITCHES.tokenThrottleStatus.default,
    tokenBlockSeconds: SWITCHES.tokenBlockSeconds.default,
    tokenShowsScope: SWITCHES.tokenShowsScope.default,
    scopesMissing: SWITCHES.scopesMissing.default,
    apiUserIsAdmin: SWITCHES.apiUserIsAdmin.default,
    creditsPerDay: SWITCHES.creditsPerDay.default,
    concurrentCallsMax: SWITCHES.concurrentCallsMax.default,
    subConcurrentCallsMax: SWITCHES.subConcurrentCallsMax.default,
    errorsCostCredits: SWITCHES.errorsCostCredits.default,
    methodNotAllowedStatus: SWITCHES.methodNotAllowedStatus.default,
    getMissing: SWITCHES.getMissing.default,
    unknownFields: SWITCHES.unknownFields.default,
    lookupRefusalNames: SWITCHES.lookupRefusalNames.default,
    emptyStringIsNull: SWITCHES.emptyStringIsNull.default,
    layoutMandatoryEnforced: SWITCHES.layoutMandatoryEnforced.default,
    emailRule: SWITCHES.emailRule.default,
    leadEmailUnique: SWITCHES.leadEmailUnique.default,
    loidUnique: SWITCHES.loidUnique.default,
    choicesMissing: SWITCHES.choicesMissing.default,
    workflowOnCreation: SWITCHES.workflowOnCreation.default,
    ifModifiedSinceInclusive: SWITCHES.ifModifiedSinceInclusive.default,
    recordsShow: SWITCHES.recordsShow.default,
    upsertOfConverted: SWITCHES.upsertOfConverted.default,
    conversionBumpsModifiedTime: SWITCHES.conversionBumpsModifiedTime.default,
    conversionFiresEdit: SWITCHES.conversionFiresEdit.default,
    conversionMovesNotes: SWITCHES.conversionMovesNotes.default,
    conversionMapsLoidAndPartner: SWITCHES.conversionMapsLoidAndPartner.default,
    noteBumpsParent: SWITCHES.noteBumpsParent.default,
    coqlReturnsConverted: SWITCHES.coqlReturnsConverted.default,
    coqlKnowsConverted: SWITCHES.coqlKnowsConverted.default,
    coqlLookupHasName: SWITCHES.coqlLookupHasName.default,
    coqlNeedsBracketsBeyondTwo: SWITCHES.coqlNeedsBracketsBeyondTwo.default,
    searchLagSeconds: SWITCHES.searchLagSeconds.default,
    deletedListsConverted: SWITCHES.deletedListsConverted.default,
    deletedListMax: SWITCHES.deletedListMax.default,
    deletedPages: SWITCHES.deletedPages.default,
    deletedOrder: SWITCHES.deletedOrder.default,
    stageHistoryTime: SWITCHES.stageHistoryTime.default,
    stageHistoryOnAmountEdit: SWITCHES.stageHistoryOnAmountEdit.default,
    timelineShowsNotes: SWITCHES.timelineShowsNotes.default,
    timelineEmptyOldValue: SWITCHES.timelineEmptyOldValue.default,
    fieldsMade: SWITCHES.fieldsMade.default,
    notifyNeedsHttps: SWITCHES.notifyNeedsHttps.default,
    notifyAttemptsMax: SWITCHES.notifyAttemptsMax.default,
    notifyDeleteWord: SWITCHES.notifyDeleteWord.default,
  }
  return initial
}

function set<Name extends keyof Behaviour>(behaviour: Behaviour, name: Name, value: unknown): boolean {
  const wanted = SWITCHES[name]
  if (!wanted.accepts(value)) return false
  behaviour[name] = value
  return true
}

function isSwitchName(name: string): name is keyof Behaviour {
  return Object.hasOwn(SWITCHES, name)
}
