import type { FastifyInstance } from 'fastify'
import type { TASK_STATUSES } from '../settings/choices.ts'
import type { Store } from '../store.ts'
import { isScope, SCOPES } from '../wire/scopes.ts'
import { isOffset } from '../wire/times.ts'
import { isObject } from '../wire/wire.ts'

/** A switch for each part of Zoho's behaviour that could not be confirmed, and a few switches that tests need (D43). */
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
  apiUserSeesRecords: boolean
  creditsPerDay: number
  concurrentCallsMax: number
  subConcurrentCallsMax: number
  errorsCostCredits: boolean
  methodNotAllowedStatus: '400' | '405'
  getMissing: '204' | '404' | '400'
  putMissing: 'request' | 'item'
  unknownFields: 'ignore' | 'refuse'
  lookupRefusalNames: 'field' | 'id'
  emptyStringIsNull: boolean
  layoutMandatoryEnforced: boolean
  emailRule: 'strict' | 'loose'
  leadEmailUnique: boolean
  loidUnique: boolean
  choicesMissing: readonly string[]
  choicesRenamed: readonly string[]
  fieldsMandatory: readonly string[]
  rulesRefuse: readonly string[]
  conversionLoses: readonly string[]
  workflowOnCreation: boolean
  ifModifiedSinceInclusive: boolean
  recordsShow: 'display' | 'actual'
  upsertOfConverted: 'refuse' | 'insert' | 'duplicate'
  conversionBumpsModifiedTime: boolean
  conversionFiresEdit: boolean
  conversionMovesNotes: boolean
  conversionMovesTasks: 'no' | 'deal' | 'contact'
  tasksOfLeadsUnder: 'What_Id' | 'Who_Id'
  taskStatuses: keyof typeof TASK_STATUSES
  completedTasksRecur: boolean
  tasksDeletedListed: boolean
  attachmentBumpsParent: boolean
  attachmentNotifies: boolean
  attachmentsOfOrganisation: 'listed' | 'empty' | 'refused'
  attachmentBytesMax: number
  sizeRefusal: 'BODY_SIZE_REACHED' | 'FILE_SIZE_MORE_THAN_ALLOWED_SIZE'
  fileStorageBytesMax: number
  storageRefusal: 'STORAGE_LIMIT_EXCEEDED' | 'LIMIT_EXCEEDED'
  conversionMovesAttachments: 'no' | 'deal' | 'contact'
  conversionMapsLoidAndPartner: boolean
  noteBumpsParent: boolean
  coqlReturnsConverted: boolean
  coqlKnowsConverted: boolean
  coqlKnowsDealHistory: boolean
  coqlKnowsTasks: boolean
  coqlFindsTasksByRecord: boolean
  coqlLookupHasName: boolean
  coqlNeedsBracketsBeyondTwo: boolean
  searchLagSeconds: number
  lookupsToDeleted: 'empty' | 'lost' | 'kept'
  mergeBumpsReferring: boolean
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
  timesOffset: { default: '+10:00', meaning: 'The UTC offset with which every time is shown.', accepts: isOffset },
  clockShiftSeconds: whole(
    0,
    'Moves the sandbox’s clock: forward, to see tokens, channels and page tokens expire; back, to act in the past.',
    -31_536_000,
  ),
  tokenLifetimeSeconds: whole(3600, 'Lifetime of access tokens issued from now on.', 1),
  tokenThrottle: yesNo(
    true,
    'At most ten access tokens are issued in ten minutes; further requests are refused with Access Denied.',
  ),
  tokenThrottleStatus: oneOf('400', ['200', '400'], 'HTTP status of the throttle’s answer.'),
  tokenBlockSeconds: whole(
    0,
    'For how many seconds a throttled client is blocked; each token request in this time starts the block again.',
  ),
  tokenShowsScope: yesNo(true, 'The token answer names the scope.'),
  scopesMissing: listOf(
    isScope,
    `The scopes that the refresh token lacks. Calls that need them are refused. Possible scopes: ${SCOPES.join(', ')}.`,
  ),
  apiUserIsAdmin: yesNo(
    true,
    'The API user is an administrator; only administrators may list the organisation’s notes.',
  ),
  apiUserSeesRecords: yesNo(
    true,
    'The API user’s role and the sharing rules let it read leads and deals; otherwise it reads none, as if there were none.',
  ),
  creditsPerDay: whole(
    100_000,
    'How many API credits can be used in a rolling 24 hours; a call beyond them gets 429.',
    1,
  ),
  concurrentCallsMax: whole(20, 'How many calls may run at once; a further call gets 429.', 1),
  subConcurrentCallsMax: whole(
    10,
    'How many searches, COQL queries, conversions, sorted lists and large writes may run at once; one more gets 429.',
    1,
  ),
  errorsCostCredits: yesNo(true, 'Calls that fail also cost credits, except those answered with 401 or 429.'),
  methodNotAllowedStatus: oneOf('400', ['400', '405'], 'HTTP status of the error INVALID_REQUEST_METHOD.'),
  getMissing: oneOf(
    '204',
    ['204', '404', '400'],
    'HTTP status of the answer to a call that reads one record, if the record does not exist.',
  ),
  putMissing: oneOf(
    'request',
    ['request', 'item'],
    'What is refused if an update names a record that does not exist: the whole request, or only that item of it.',
  ),
  unknownFields: oneOf('ignore', ['ignore', 'refuse'], 'What happens to a field that the module does not have.'),
  lookupRefusalNames: oneOf(
    'field',
    ['field', 'id'],
    'Whether the error for a lookup that refers to a missing record names the field or the id within the field.',
  ),
  emptyStringIsNull: yesNo(true, 'An empty text is stored as null.'),
  layoutMandatoryEnforced: yesNo(
    false,
    'The API also requires the fields that only the layout marks as mandatory: Company in Leads, Closing_Date in Deals.',
  ),
  emailRule: oneOf(
    'strict',
    ['strict', 'loose'],
    'Which texts an email field accepts: addresses, or anything with an @.',
  ),
  leadEmailUnique: yesNo(false, 'Email is marked unique in Leads.'),
  loidUnique: yesNo(true, 'LOID is marked unique in Leads and Deals.'),
  choicesMissing: listOf(
    (value) => /^\w+\.\w+\../.test(value),
    'Values that are missing from picklists, each written as Module.Field.Value, such as Leads.Lead_Status.Lost Lead.',
  ),
  choicesRenamed: listOf(
    (value) => /^\w+\.\w+\..+=./.test(value),
    'Values of picklists that show another name, each written as Module.Field.Value=Name, such as Leads.Lead_Status.New Lead=New Referral.',
  ),
  fieldsMandatory: listOf(
    (value) => /^\w+\.\w+$/.test(value),
    'Fields that the organisation has made mandatory in its layout, each written as Module.Field; the API enforces them.',
  ),
  rulesRefuse: listOf(
    (value) => /^\w+\.\w+$/.test(value),
    'Fields, each written as Module.Field, whose validation rule refuses every new record, whatever its value.',
  ),
  conversionLoses: listOf(
    (value) => /^\w+$/.test(value),
    'Fields of Leads that the conversion does not copy, because nobody has mapped them.',
  ),
  workflowOnCreation: yesNo(
    false,
    'A workflow moves new leads to Contact Soon, and new deals to Consulting With Client, in the second in which they are created.',
  ),
  ifModifiedSinceInclusive: yesNo(
    false,
    'If-Modified-Since includes records that changed in exactly the second that it names.',
  ),
  recordsShow: oneOf(
    'display',
    ['display', 'actual'],
    'Whether records show a renamed picklist choice by its display value or by its actual value.',
  ),
  upsertOfConverted: oneOf(
    'refuse',
    ['refuse', 'insert', 'duplicate'],
    'The result of an upsert that matches a converted lead: CONVERTED_RECORD, a new lead (DUPLICATE_DATA if a unique field matches), or DUPLICATE_DATA.',
  ),
  conversionBumpsModifiedTime: yesNo(true, 'A conversion sets the lead’s Modified_Time.'),
  conversionFiresEdit: yesNo(true, 'A conversion notifies the channels that watch Leads.edit.'),
  conversionMovesNotes: yesNo(false, 'A conversion moves the lead’s notes to the deal.'),
  conversionMovesTasks: oneOf('deal', ['no', 'deal', 'contact'], 'Where a conversion moves the lead’s open tasks.'),
  tasksOfLeadsUnder: oneOf('What_Id', ['What_Id', 'Who_Id'], 'The field of a task that names its lead.'),
  taskStatuses: oneOf(
    'zoho',
    ['zoho', 'renamed', 'own'],
    'The statuses of tasks: Zoho’s own, Zoho’s own under other names, or the organisation’s own in their place.',
  ),
  completedTasksRecur: yesNo(false, 'A completed task makes the next one, a month later, as recurring tasks do.'),
  tasksDeletedListed: yesNo(true, 'The list of deleted tasks is answered; otherwise with INVALID_MODULE.'),
  attachmentBumpsParent: yesNo(false, 'Attaching a file sets its record’s Modified_Time.'),
  attachmentNotifies: yesNo(false, 'Attaching a file notifies the channels that watch edits of its record.'),
  attachmentsOfOrganisation: oneOf(
    'refused',
    ['listed', 'empty', 'refused'],
    'The answer to a call that lists the attachments of the whole organisation.',
  ),
  attachmentBytesMax: whole(100 * 1024 * 1024, 'The size of the largest file that may be attached.', 1),
  sizeRefusal: oneOf(
    'FILE_SIZE_MORE_THAN_ALLOWED_SIZE',
    ['BODY_SIZE_REACHED', 'FILE_SIZE_MORE_THAN_ALLOWED_SIZE'],
    'The code with which a larger file is refused.',
  ),
  fileStorageBytesMax: whole(
    5 * 1024 * 1024 * 1024,
    'The file storage of the organisation’s edition; the Free edition has 0.',
  ),
  storageRefusal: oneOf(
    'STORAGE_LIMIT_EXCEEDED',
    ['STORAGE_LIMIT_EXCEEDED', 'LIMIT_EXCEEDED'],
    'The code with which a file is refused when the file storage is full.',
  ),
  conversionMovesAttachments: oneOf(
    'contact',
    ['no', 'deal', 'contact'],
    'Where a conversion moves the lead’s attachments.',
  ),
  conversionMapsLoidAndPartner: yesNo(true, 'The lead conversion mapping copies LOID and Partner to the deal.'),
  noteBumpsParent: yesNo(false, 'Adding a note sets its parent’s Modified_Time.'),
  coqlReturnsConverted: yesNo(true, 'COQL queries of Leads also return converted leads.'),
  coqlKnowsConverted: yesNo(true, 'COQL knows the column Converted__s; otherwise it answers INVALID_QUERY.'),
  coqlKnowsDealHistory: yesNo(true, 'COQL knows the module DealHistory, which holds the stage histories of all deals.'),
  coqlKnowsTasks: yesNo(true, 'COQL knows the module Tasks; otherwise it answers INVALID_MODULE.'),
  coqlFindsTasksByRecord: yesNo(
    true,
    'COQL accepts What_Id in the WHERE clause of a query of Tasks; otherwise it answers INVALID_QUERY.',
  ),
  coqlLookupHasName: yesNo(true, 'COQL returns a lookup column as {name,id}; otherwise as {id}.'),
  coqlNeedsBracketsBeyondTwo: yesNo(
    true,
    'COQL refuses more than two conditions unless they are bracketed in pairs: ((A and B) and C).',
  ),
  searchLagSeconds: whole(
    0,
    'Search does not find records that changed less than this many seconds ago; a count without criteria leaves out records created since then.',
  ),
  lookupsToDeleted: oneOf(
    'empty',
    ['empty', 'lost', 'kept'],
    'A lookup to a deleted record is empty until the record is restored, stays empty for good, or goes on showing the record.',
  ),
  mergeBumpsReferring: yesNo(
    true,
    'A merge sets the Modified_Time of the records that named a merged record, and notifies the channels that watch them.',
  ),
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
  stageHistoryTime: oneOf(
    'entry',
    ['entry', 'exit'],
    'Whether Modified_Time of a stage history row is the time of entering or of leaving the stage.',
  ),
  stageHistoryOnAmountEdit: yesNo(false, 'An edit of the amount also adds a row to the stage history.'),
  timelineShowsNotes: yesNo(false, 'The parent’s timeline shows an added note.'),
  timelineEmptyOldValue: oneOf('null', ['null', 'blank'], 'How the timeline writes an empty old value.'),
  fieldsMade: oneOf(
    'each',
    ['each', 'all-or-none'],
    'What happens if one of several custom fields in a call is refused: the others are made, or none is.',
  ),
  notifyNeedsHttps: yesNo(false, 'Subscribing with an http URL is refused.'),
  notifyAttemptsMax: whole(3, 'How many times a notification is tried before it is given up.', 1),
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
    apiUserSeesRecords: SWITCHES.apiUserSeesRecords.default,
    creditsPerDay: SWITCHES.creditsPerDay.default,
    concurrentCallsMax: SWITCHES.concurrentCallsMax.default,
    subConcurrentCallsMax: SWITCHES.subConcurrentCallsMax.default,
    errorsCostCredits: SWITCHES.errorsCostCredits.default,
    methodNotAllowedStatus: SWITCHES.methodNotAllowedStatus.default,
    getMissing: SWITCHES.getMissing.default,
    putMissing: SWITCHES.putMissing.default,
    unknownFields: SWITCHES.unknownFields.default,
    lookupRefusalNames: SWITCHES.lookupRefusalNames.default,
    emptyStringIsNull: SWITCHES.emptyStringIsNull.default,
    layoutMandatoryEnforced: SWITCHES.layoutMandatoryEnforced.default,
    emailRule: SWITCHES.emailRule.default,
    leadEmailUnique: SWITCHES.leadEmailUnique.default,
    loidUnique: SWITCHES.loidUnique.default,
    choicesMissing: SWITCHES.choicesMissing.default,
    choicesRenamed: SWITCHES.choicesRenamed.default,
    fieldsMandatory: SWITCHES.fieldsMandatory.default,
    rulesRefuse: SWITCHES.rulesRefuse.default,
    conversionLoses: SWITCHES.conversionLoses.default,
    workflowOnCreation: SWITCHES.workflowOnCreation.default,
    ifModifiedSinceInclusive: SWITCHES.ifModifiedSinceInclusive.default,
    recordsShow: SWITCHES.recordsShow.default,
    upsertOfConverted: SWITCHES.upsertOfConverted.default,
    conversionBumpsModifiedTime: SWITCHES.conversionBumpsModifiedTime.default,
    conversionFiresEdit: SWITCHES.conversionFiresEdit.default,
    conversionMovesNotes: SWITCHES.conversionMovesNotes.default,
    conversionMovesTasks: SWITCHES.conversionMovesTasks.default,
    tasksOfLeadsUnder: SWITCHES.tasksOfLeadsUnder.default,
    taskStatuses: SWITCHES.taskStatuses.default,
    completedTasksRecur: SWITCHES.completedTasksRecur.default,
    tasksDeletedListed: SWITCHES.tasksDeletedListed.default,
    attachmentBumpsParent: SWITCHES.attachmentBumpsParent.default,
    attachmentNotifies: SWITCHES.attachmentNotifies.default,
    attachmentsOfOrganisation: SWITCHES.attachmentsOfOrganisation.default,
    attachmentBytesMax: SWITCHES.attachmentBytesMax.default,
    sizeRefusal: SWITCHES.sizeRefusal.default,
    fileStorageBytesMax: SWITCHES.fileStorageBytesMax.default,
    storageRefusal: SWITCHES.storageRefusal.default,
    conversionMovesAttachments: SWITCHES.conversionMovesAttachments.default,
    conversionMapsLoidAndPartner: SWITCHES.conversionMapsLoidAndPartner.default,
    noteBumpsParent: SWITCHES.noteBumpsParent.default,
    coqlReturnsConverted: SWITCHES.coqlReturnsConverted.default,
    coqlKnowsConverted: SWITCHES.coqlKnowsConverted.default,
    coqlKnowsDealHistory: SWITCHES.coqlKnowsDealHistory.default,
    coqlKnowsTasks: SWITCHES.coqlKnowsTasks.default,
    coqlFindsTasksByRecord: SWITCHES.coqlFindsTasksByRecord.default,
    coqlLookupHasName: SWITCHES.coqlLookupHasName.default,
    coqlNeedsBracketsBeyondTwo: SWITCHES.coqlNeedsBracketsBeyondTwo.default,
    searchLagSeconds: SWITCHES.searchLagSeconds.default,
    lookupsToDeleted: SWITCHES.lookupsToDeleted.default,
    mergeBumpsReferring: SWITCHES.mergeBumpsReferring.default,
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
