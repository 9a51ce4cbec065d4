import path from 'node:path'
import { DEFAULT_BRAND_NAME } from '@portal/contract/brand.ts'
import { isTimeZone } from '@portal/contract/calendar.ts'
import { SIGN_UP_MODES, type SignUpMode } from '@portal/contract/sign-up-mode.ts'
import * as z from 'zod/mini'
import type { Brand } from './brand/brand.ts'
import { paletteOf } from './brand/colour.ts'
import { readLogo } from './brand/read-logo.ts'
import { hostUrls } from './db/host-urls.ts'
import {
  BrandName,
  Colour,
  DatabaseUrl,
  existingFile,
  HostName,
  isLoopback,
  Milliseconds,
  made,
  OnOrOff,
  Port,
  Proxies,
  type SecretsKey,
  SecretsKeys,
  TrueOrFalse,
  urlOf,
  webOrigin,
  wholeNumber,
} from './setting-values.ts'
import { type Given, refusal } from './settings-error.ts'

export type Settings = {
  nodeEnv: 'development' | 'production'
  isProduction: boolean
  /** `web` answers HTTP, `worker` runs background jobs, `all` does both (D90). */
  role: 'all' | 'web' | 'worker'
  host: string
  /** Proxies whose `X-Forwarded-For` is trusted: addresses and networks, or `loopback` for this machine. */
  trustProxy: string[]
  /** 0 asks the system for a free port. */
  port: number
  /** How long a caller may take to send a request. The headers get half of that time. */
  requestTimeoutMs: number
  /**
   * The maximum number of simultaneous connections from callers. Further connections are closed. At most half of this
   * number may be streams of open pages.
   */
  connectionsMax: number
  /**
   * How long a portal continues to serve after the signal to stop. During this time its readiness check answers 503, so
   * that load balancers stop sending requests (D92).
   */
  drainMs: number
  /**
   * The portal's address, without a slash at the end. If absent, the portal uses `http://localhost:PORT`, which is
   * known only once the server listens.
   */
  publicUrl?: string
  /** The lender's privacy notice, which sign-up, the lead form and mails link to (D134). */
  privacyUrl?: string
  /** The name, logo and colours that the portal wears (D115). */
  brand: Brand
  dataDir: string
  /** If absent, an embedded PostgreSQL is started under `dataDir`. The address can name several hosts. */
  databaseUrl?: string
  /**
   * The same database without a pooler, for LISTEN, the job queue and migrations. Needed if `databaseUrl` is the
   * address of a pooler in transaction mode.
   */
  databaseDirectUrl?: string
  /** The address of one replica of the database, for lists, search and dashboard (D90). */
  databaseReadUrl?: string
  /** False if a pooler is too old for named prepared statements. */
  databasePrepares: boolean
  /** The maximum number of connections for pages. Jobs have separate connections, half as many (D90). */
  databasePool: number
  /** How long a statement for a page may take. A job's statement may take 50% longer (D91). */
  databaseTimeoutMs: number
  /**
   * Whether the portal migrates the database when it starts. If not, the operator runs `npm run portal -- migrate`
   * first (D93).
   */
  migratesAtStart: boolean
  /**
   * The first key encrypts the database's secrets, and each key decrypts the secrets that it encrypted (D96). If
   * `secretsKeys` is absent in development, a key is made in `dataDir`.
   */
  secretsKeys?: SecretsKey[]
  /** The port on which Prometheus reads metrics (D95). If absent, nothing is measured. */
  metricsPort?: number
  metricsHost: string
  /**
   * Where spans are sent by OTLP over HTTP (D95). If absent, no spans are recorded. The OpenTelemetry SDK reads its
   * other variables itself.
   */
  otlpEndpoint?: string
  /** If absent, the CRM sandbox is started on `crmPort`. */
  zoho?: ZohoSettings
  /** API credits that the organisation's edition of Zoho CRM includes in any 24 hours (D57). */
  zohoCreditsPerDay: number
  crmPort: number
  crmFieldMapPath?: string
  /** The file that explains statuses and stages to partners (D75). */
  statusMeaningsPath?: string
  /** The Markdown file that the lender tells all partners (D114). */
  announcementPath?: string
  /** The Markdown file that an owner accepts before the business submits (D113). */
  agreementPath?: string
  /** If absent, mails are written to `dataDir`/outbox. */
  smtpUrl?: string
  mailFrom: string
  timezone: string
  seedDemo: boolean
  logLevel: LogLevel
  rateLimits: boolean
  /** How many leads and deals a partner may submit in a minute and in a day, and how many notes (D122). */
  recordsPerMinute: number
  recordsPerDay: number
  /** Whether a partner's records wait here until its email address is verified (D122). */
  holdUnverified: boolean
  /** Who may become a partner (D116). */
  signUp: SignUpMode
  webhookAllowPrivate: boolean
  hideAccountExistence: boolean
  /** With `portal`, partners see a note from the CRM only if its title begins with 'Partner' (D32a). */
  crmNotes: 'all' | 'portal'
  /** With `partner`, only a task whose subject begins with 'Partner:' asks the partner (D105). */
  crmTasks: 'partner' | 'all'
  /** With `portal`, partners see a file that staff attached only if its name begins with 'Partner' (D103). */
  crmDocuments: 'portal' | 'all'
  /** The largest file that may be uploaded (D100). */
  documentMbMax: number
  /** How much of all partners' files may be on the way to the CRM (D100). */
  documentsWaitingGbMax: number
  /** The virus scanner that looks at files before they go to the CRM (D102). */
  clamdUrl?: string
  /** If a sync run takes longer than this, the call that started it gets a 202 and the run continues (D31). */
  syncWaitMs: number
}

export type ZohoSettings = {
  accountsUrl: string
  apiUrl: string
  clientId: string
  clientSecret: string
  refreshToken: string
}

type LogLevel = (typeof LOG_LEVELS)[number]

/** The settings of the portal (D2, D44). Throws a `SettingsError` for the first unusable setting. */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const given = withoutBlanks(env)
  const parsed = Variables.safeParse(given)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw refusal(given, String(issue?.path[0]), issue?.message ?? 'be valid')
  }
  const variables = parsed.data
  const isProduction = variables.NODE_ENV === 'production'
  if (variables.METRICS_PORT && variables.METRICS_PORT === variables.PORT) {
    throw refusal(given, 'METRICS_PORT', 'differ from PORT')
  }
  for (const name of ['DATABASE_DIRECT_URL', 'DATABASE_READ_URL'] as const) {
    if (variables[name] && !variables.DATABASE_URL) throw refusal(given, 'DATABASE_URL', `be set because ${name} is`)
  }
  if (variables.BRAND_LOGO_DARK && !variables.BRAND_LOGO) {
    throw refusal(given, 'BRAND_LOGO', 'be set because BRAND_LOGO_DARK is')
  }
  const zoho = zohoSettings(given, variables)
  if (!zoho && variables.PORT !== 0 && variables.CRM_PORT === variables.PORT) {
    throw refusal({ CRM_PORT: String(variables.CRM_PORT) }, 'CRM_PORT', 'differ from PORT')
  }
  if (isProduction) refuseDevelopmentAids(given, variables)

  return {
    nodeEnv: variables.NODE_ENV,
    isProduction,
    role: variables.ROLE,
    host: variables.HOST,
    trustProxy: variables.TRUST_PROXY,
    port: variables.PORT,
    requestTimeoutMs: variables.REQUEST_TIMEOUT_MS,
    connectionsMax: variables.CONNECTIONS_MAX,
    drainMs: 1_000 * variables.DRAIN_SECONDS,
    publicUrl: variables.PUBLIC_URL,
    privacyUrl: variables.PRIVACY_URL,
    brand: {
      name: variables.BRAND_NAME,
      logo: variables.BRAND_LOGO,
      logoDark: variables.BRAND_LOGO_DARK,
      palette: variables.BRAND_COLOUR,
    },
    dataDir: path.resolve(variables.DATA_DIR),
    databaseUrl: variables.DATABASE_URL,
    databaseDirectUrl: variables.DATABASE_DIRECT_URL,
    databaseReadUrl: variables.DATABASE_READ_URL,
    databasePrepares: variables.DATABASE_PREPARED_STATEMENTS,
    databasePool: variables.DATABASE_POOL,
    databaseTimeoutMs: variables.DATABASE_TIMEOUT_MS,
    migratesAtStart: variables.MIGRATE,
    secretsKeys: variables.SECRETS_KEY,
    metricsPort: variables.METRICS_PORT,
    metricsHost: variables.METRICS_HOST,
    otlpEndpoint: variables.OTEL_EXPORTER_OTLP_ENDPOINT,
    zoho,
    zohoCreditsPerDay: variables.ZOHO_CREDITS_PER_DAY,
    crmPort: variables.CRM_PORT,
    crmFieldMapPath: variables.CRM_FIELD_MAP,
    statusMeaningsPath: variables.STATUS_MEANINGS,
    announcementPath: variables.ANNOUNCEMENT_FILE,
    agreementPath: variables.AGREEMENT_FILE,
    smtpUrl: variables.SMTP_URL,
    mailFrom: variables.MAIL_FROM ?? `"${variables.BRAND_NAME}" <portal@localhost>`,
    timezone: variables.PORTAL_TIMEZONE,
    seedDemo: variables.SEED_DEMO ?? !isProduction,
    logLevel: variables.LOG_LEVEL,
    rateLimits: variables.RATE_LIMITS,
    recordsPerMinute: variables.RECORDS_PER_MINUTE,
    recordsPerDay: variables.RECORDS_PER_DAY,
    holdUnverified: variables.HOLD_UNVERIFIED ?? isProduction,
    signUp: variables.SIGNUP,
    webhookAllowPrivate: variables.WEBHOOK_ALLOW_PRIVATE,
    hideAccountExistence: variables.HIDE_ACCOUNT_EXISTENCE,
    crmNotes: variables.CRM_NOTES,
    crmTasks: variables.CRM_TASKS,
    crmDocuments: variables.CRM_DOCUMENTS,
    documentMbMax: variables.DOCUMENT_MAX_MB,
    documentsWaitingGbMax: variables.DOCUMENTS_WAITING_MAX_GB,
    clamdUrl: variables.CLAMD_URL,
    syncWaitMs: variables.SYNC_WAIT_MS,
  }
}

const SYNC_WAIT_MS = 20_000
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

const Variables = z.object({
  NODE_ENV: z._default(z.enum(['development', 'production'], 'be development or production'), 'development'),
  ROLE: z._default(z.enum(['all', 'web', 'worker'], 'be all, web or worker'), 'all'),
  HOST: z._default(HostName, '127.0.0.1'),
  TRUST_PROXY: z._default(Proxies, ['loopback']),
  PORT: z._default(Port, 3000),
  REQUEST_TIMEOUT_MS: z._default(wholeNumber(100, 3_600_000), 30_000),
  CONNECTIONS_MAX: z._default(wholeNumber(10, 1_000_000), 12_000),
  DRAIN_SECONDS: z._default(wholeNumber(0, 3_600), 0),
  PUBLIC_URL: z.optional(webOrigin('https://portal.example.com')),
  PRIVACY_URL: z.optional(urlOf(['https:', 'http:'], 'be an address such as https://www.example.com/privacy')),
  BRAND_NAME: z._default(BrandName, DEFAULT_BRAND_NAME),
  BRAND_LOGO: z.optional(made(readLogo, existingFile('picture'))),
  BRAND_LOGO_DARK: z.optional(made(readLogo, existingFile('picture'))),
  BRAND_COLOUR: z.optional(made(paletteOf, Colour)),
  DATA_DIR: z._default(z.string(), './data'),
  DATABASE_URL: z.optional(DatabaseUrl),
  DATABASE_DIRECT_URL: z.optional(DatabaseUrl),
  DATABASE_READ_URL: z.optional(
    DatabaseUrl.check(
      z.refine((text) => hostUrls(text).length === 1, 'name one server: each process can name a different one'),
    ),
  ),
  DATABASE_PREPARED_STATEMENTS: z._default(OnOrOff, true),
  DATABASE_POOL: z._default(wholeNumber(2, 1_000), 16),
  DATABASE_TIMEOUT_MS: z._default(wholeNumber(100, 600_000), 5_000),
  DATABASE_CLEARTEXT: z._default(TrueOrFalse, false),
  MIGRATE: z._default(OnOrOff, true),
  SECRETS_KEY: z.optional(SecretsKeys),
  METRICS_PORT: z.optional(Port),
  METRICS_HOST: z._default(HostName, '127.0.0.1'),
  OTEL_EXPORTER_OTLP_ENDPOINT: z.optional(urlOf(['http:', 'https:'], 'be an address such as http://127.0.0.1:4318')),
  ZOHO_ACCOUNTS_URL: z.optional(webOrigin('https://accounts.zoho.com.au')),
  ZOHO_API_URL: z.optional(webOrigin('https://www.zohoapis.com.au')),
  ZOHO_CLIENT_ID: z.optional(z.string()),
  ZOHO_CLIENT_SECRET: z.optional(z.string()),
  ZOHO_REFRESH_TOKEN: z.optional(z.string()),
  ZOHO_CREDITS_PER_DAY: z._default(wholeNumber(1_000, 100_000_000), 50_000),
  CRM_PORT: z._default(Port, 3900),
  CRM_FIELD_MAP: z.optional(existingFile('JSON file')),
  STATUS_MEANINGS: z.optional(existingFile('text file')),
  ANNOUNCEMENT_FILE: z.optional(existingFile('Markdown file')),
  AGREEMENT_FILE: z.optional(existingFile('Markdown file')),
  SMTP_URL: z.optional(urlOf(['smtp:', 'smtps:'], 'be an address such as smtps://user:password@mail.example.com')),
  MAIL_FROM: z.optional(
    z.string().check(z.regex(/^[^\r\n@]+@[^\r\n@]+$/, "be a sender such as 'Partner Portal <portal@example.com>'")),
  ),
  PORTAL_TIMEZONE: z._default(
    z.string().check(z.refine(isTimeZone, 'be an IANA time zone such as Australia/Sydney')),
    'Australia/Sydney',
  ),
  SEED_DEMO: z.optional(TrueOrFalse),
  LOG_LEVEL: z._default(z.enum(LOG_LEVELS, `be one of ${LOG_LEVELS.join(', ')}`), 'info'),
  RATE_LIMITS: z._default(OnOrOff, true),
  RECORDS_PER_MINUTE: z._default(wholeNumber(1, 1_000_000), 120),
  RECORDS_PER_DAY: z._default(wholeNumber(1, 100_000_000), 2_000),
  HOLD_UNVERIFIED: z.optional(TrueOrFalse),
  SIGNUP: z._default(z.enum(SIGN_UP_MODES, 'be open, approval or invite'), 'open'),
  WEBHOOK_ALLOW_PRIVATE: z._default(TrueOrFalse, false),
  HIDE_ACCOUNT_EXISTENCE: z._default(TrueOrFalse, false),
  CRM_NOTES: z._default(z.enum(['all', 'portal'], 'be all or portal'), 'all'),
  CRM_TASKS: z._default(z.enum(['partner', 'all'], 'be partner or all'), 'partner'),
  CRM_DOCUMENTS: z._default(z.enum(['portal', 'all'], 'be portal or all'), 'portal'),
  DOCUMENT_MAX_MB: z._default(wholeNumber(1, 100), 25),
  DOCUMENTS_WAITING_MAX_GB: z._default(wholeNumber(1, 1_000), 5),
  CLAMD_URL: z.optional(urlOf(['tcp:'], 'be an address such as tcp://127.0.0.1:3310')),
  SYNC_WAIT_MS: z._default(Milliseconds, SYNC_WAIT_MS),
})

type Variables = z.infer<typeof Variables>
/** A variable with an empty value is treated as not set, as in `PUBLIC_URL= npm start`. */
function withoutBlanks(env: NodeJS.ProcessEnv): Given {
  const filled = Object.entries(env).map(([name, value]) => [name, value?.trim() || undefined])
  return Object.fromEntries(filled)
}

/** A real CRM needs all five variables. Setting only some of them is a mistake and does not select the sandbox. */
function zohoSettings(given: Given, variables: Variables): ZohoSettings | undefined {
  const {
    ZOHO_ACCOUNTS_URL: accountsUrl,
    ZOHO_API_URL: apiUrl,
    ZOHO_CLIENT_ID: clientId,
    ZOHO_CLIENT_SECRET: clientSecret,
    ZOHO_REFRESH_TOKEN: refreshToken,
  } = variables
  if (accountsUrl && apiUrl && clientId && clientSecret && refreshToken) {
    return { accountsUrl, apiUrl, clientId, clientSecret, refreshToken }
  }
  const missing = ZOHO_VARIABLES.find((name) => !variables[name])
  const present = ZOHO_VARIABLES.find((name) => variables[name])
  if (missing && present) throw refusal(given, missing, `be set because ${present} is`)
  return undefined
}

const ZOHO_URLS = ['ZOHO_ACCOUNTS_URL', 'ZOHO_API_URL'] as const
const ZOHO_VARIABLES = [...ZOHO_URLS, 'ZOHO_CLIENT_ID', 'ZOHO_CLIENT_SECRET', 'ZOHO_REFRESH_TOKEN'] as const

/**
 * Refuses settings that are for development only, and requires those that production needs. The embedded database is
 * allowed: it loses nothing in a crash, although it cannot grow beyond one machine.
 */
function refuseDevelopmentAids(given: Given, variables: Variables): void {
  for (const name of ['PUBLIC_URL', ...ZOHO_VARIABLES, 'SMTP_URL', 'MAIL_FROM'] as const) {
    if (!variables[name]) throw refusal(given, name, 'be set in production')
  }
  for (const name of ['PUBLIC_URL', ...ZOHO_URLS] as const) {
    if (variables[name]?.startsWith('http:') && !isLoopback(variables[name])) {
      throw refusal(given, name, 'begin with https in production, unless it names this machine')
    }
  }
  if (!variables.DATABASE_CLEARTEXT) refuseCleartext(given, variables)
  // In a rehearsal of production, a sandbox on the same machine takes the place of the CRM.
  const isRehearsal = ZOHO_URLS.every((name) => isLoopback(variables[name]))
  for (const name of ['ZOHO_CLIENT_ID', 'ZOHO_CLIENT_SECRET', 'ZOHO_REFRESH_TOKEN'] as const) {
    if (variables[name] === 'sandbox' && !isRehearsal) {
      throw refusal(
        given,
        name,
        'not be that of the CRM sandbox in production, unless the sandbox runs on this machine',
      )
    }
  }
  // An option in the address could turn off the TLS that the portal sets.
  if (URL.parse(variables.SMTP_URL ?? '')?.search) {
    throw refusal(given, 'SMTP_URL', 'have no options in production: mails go out over TLS only')
  }
  if (!variables.SECRETS_KEY) {
    throw refusal(
      given,
      'SECRETS_KEY',
      'be set in production: 32 bytes in base64, which `openssl rand -base64 32` makes',
    )
  }
  if (!variables.RATE_LIMITS) throw refusal(given, 'RATE_LIMITS', 'be on in production')
  if (variables.WEBHOOK_ALLOW_PRIVATE) throw refusal(given, 'WEBHOOK_ALLOW_PRIVATE', 'be false in production')
  if (variables.SEED_DEMO) throw refusal(given, 'SEED_DEMO', 'be false in production')
  if (variables.SYNC_WAIT_MS !== SYNC_WAIT_MS) throw refusal(given, 'SYNC_WAIT_MS', `be ${SYNC_WAIT_MS} in production`)
}

/** Between machines, what partners and applicants entrust to the portal travels over TLS only (D133). */
function refuseCleartext(given: Given, variables: Variables): void {
  for (const name of ['DATABASE_URL', 'DATABASE_DIRECT_URL', 'DATABASE_READ_URL'] as const) {
    if (!hostUrls(variables[name] ?? '').every(isLocalOrVerified)) {
      throw refusal(
        given,
        name,
        'end with sslmode=verify-full in production, unless it names this machine; DATABASE_CLEARTEXT=true insists',
      )
    }
  }
  const collector = variables.OTEL_EXPORTER_OTLP_ENDPOINT
  if (collector?.startsWith('http:') && !isLoopback(collector)) {
    throw refusal(given, 'OTEL_EXPORTER_OTLP_ENDPOINT', 'begin with https in production, unless it names this machine')
  }
}

/**
 * Whether the address of a database is a socket or this machine's, or asks for TLS with a checked certificate. Reads the
 * address as the driver does: of two options with one name the last one counts, and a blank host counts as absent.
 */
function isLocalOrVerified(address: string): boolean {
  const url = URL.parse(address)
  if (!url) return true
  const options = new Map(url.searchParams)
  const host = options.get('host') || decodeURIComponent(url.hostname)
  const isLocal = host === '' || host.startsWith('/') || /^(localhost|127(\.\d+){3}|\[?::1\]?)$/.test(host)
  return isLocal || options.get('sslmode') === 'verify-full'
}
