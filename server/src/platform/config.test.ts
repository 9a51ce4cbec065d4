import path from 'node:path'
import { expect, test } from 'vitest'
import { readSettings } from './config.ts'
import { SettingsError } from './settings-error.ts'

const PRODUCTION = {
  NODE_ENV: 'production',
  PUBLIC_URL: 'https://portal.example.com/',
  DATABASE_URL: 'postgres://portal:geheim@db.example.com/portal?sslmode=verify-full',
  SECRETS_KEY: Buffer.alloc(32, 'a').toString('base64'),
  SMTP_URL: 'smtps://portal:geheim@mail.example.com',
  MAIL_FROM: 'Partner Portal <portal@example.com>',
  ZOHO_ACCOUNTS_URL: 'https://accounts.zoho.com.au',
  ZOHO_API_URL: 'https://www.zohoapis.com.au',
  ZOHO_CLIENT_ID: '1000.ABC',
  ZOHO_CLIENT_SECRET: 'geheim',
  ZOHO_REFRESH_TOKEN: '1000.geheim',
}

test('without environment variables, the portal uses its development settings', () => {
  expect(readSettings({})).toEqual({
    nodeEnv: 'development',
    isProduction: false,
    role: 'all',
    host: '127.0.0.1',
    trustProxy: ['loopback'],
    port: 3000,
    requestTimeoutMs: 30_000,
    connectionsMax: 12_000,
    drainMs: 0,
    publicUrl: undefined,
    dataDir: path.resolve('data'),
    databaseUrl: undefined,
    databaseDirectUrl: undefined,
    databasePrepares: true,
    databasePool: 16,
    databaseTimeoutMs: 5_000,
    migratesAtStart: true,
    secretsKeys: undefined,
    metricsPort: undefined,
    metricsHost: '127.0.0.1',
    zoho: undefined,
    zohoCreditsPerDay: 50_000,
    crmPort: 3900,
    crmFieldMapPath: undefined,
    statusMeaningsPath: undefined,
    smtpUrl: undefined,
    brand: { name: 'Partner Portal' },
    mailFrom: '"Partner Portal" <portal@localhost>',
    timezone: 'Australia/Sydney',
    seedDemo: true,
    logLevel: 'info',
    rateLimits: true,
    recordsPerMinute: 120,
    recordsPerDay: 2_000,
    holdUnverified: false,
    signUp: 'open',
    webhookAllowPrivate: false,
    hideAccountExistence: false,
    crmNotes: 'all',
    crmTasks: 'partner',
    crmDocuments: 'portal',
    documentMbMax: 25,
    documentsWaitingGbMax: 5,
    syncWaitMs: 20_000,
  })
})

test('production settings are read from the environment', () => {
  const settings = readSettings(PRODUCTION)
  expect(settings).toMatchObject({
    isProduction: true,
    seedDemo: false,
    holdUnverified: true,
    publicUrl: 'https://portal.example.com',
  })
  expect(settings.zoho).toEqual({
    accountsUrl: 'https://accounts.zoho.com.au',
    apiUrl: 'https://www.zohoapis.com.au',
    clientId: '1000.ABC',
    clientSecret: 'geheim',
    refreshToken: '1000.geheim',
  })
})

test.each([
  {
    DATABASE_URL: 'postgres://portal@127.0.0.1:5432,localhost:5433/portal',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://[::1]:4318',
  },
  { DATABASE_URL: 'postgres:///portal?host=/run/postgresql' },
  { DATABASE_URL: 'postgres://%2Frun%2Fpostgresql/portal' },
  { DATABASE_URL: 'postgres://db/portal', DATABASE_CLEARTEXT: 'true', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://otel:4318' },
])('production speaks cleartext on this machine, and elsewhere only if DATABASE_CLEARTEXT insists: %j', (env) => {
  expect(readSettings({ ...PRODUCTION, ...env }).databaseUrl).toBe(env.DATABASE_URL)
})

test('production settings accept the CRM sandbox on the same machine, even over http', () => {
  const ZOHO_URL = 'http://127.0.0.1:3900'
  const secrets = { ZOHO_CLIENT_ID: 'sandbox', ZOHO_CLIENT_SECRET: 'sandbox', ZOHO_REFRESH_TOKEN: 'sandbox' }
  const env = { ...PRODUCTION, ...secrets, ZOHO_ACCOUNTS_URL: ZOHO_URL, ZOHO_API_URL: ZOHO_URL }
  const settings = readSettings({ ...env, PUBLIC_URL: 'http://localhost:3000' })
  expect(settings).toMatchObject({ isProduction: true, zoho: { apiUrl: ZOHO_URL, clientSecret: 'sandbox' } })
})

test('PORT can be 3900 if no sandbox is started', () => {
  expect(readSettings({ ...PRODUCTION, PORT: '3900' }).port).toBe(3900)
})

test('an empty variable is treated as not set', () => {
  expect(readSettings({ PORT: '', DATABASE_URL: ' ' })).toMatchObject({ port: 3000, databaseUrl: undefined })
})

test('TRUST_PROXY accepts IPv4 and IPv6 addresses and networks', () => {
  const TRUST_PROXY = 'loopback, 10.0.0.7,192.168.0.0/16,2001:db8::/32'
  expect(readSettings({ TRUST_PROXY }).trustProxy).toEqual(['loopback', '10.0.0.7', '192.168.0.0/16', '2001:db8::/32'])
})

test('each of several keys in SECRETS_KEY can have a name', () => {
  const [old, next] = [Buffer.alloc(32, 'o'), Buffer.alloc(32, 'n')]
  const SECRETS_KEY = `2027:${next.toString('base64')}, ${old.toString('base64')}`
  expect(readSettings({ SECRETS_KEY }).secretsKeys).toEqual([
    { id: '2027', bytes: next },
    { id: 'key', bytes: old },
  ])
})

test.each([
  [{ PORT: 'http' }, 'PORT is "http", but must be a whole number from 0 to 65535'],
  [{ PORT: '70000' }, 'PORT is "70000", but must be a whole number from 0 to 65535'],
  [{ DATABASE_POOL: '1' }, 'DATABASE_POOL is "1", but must be a whole number from 2 to 1000'],
  [{ PORT: '3900' }, 'CRM_PORT is "3900", but must differ from PORT'],
  [{ PORT: '9464', METRICS_PORT: '9464' }, 'METRICS_PORT is "9464", but must differ from PORT'],
  [{ NODE_ENV: 'test' }, 'NODE_ENV is "test", but must be development or production'],
  [{ HOST: 'a b' }, 'HOST is "a b", but must be a host name or an address such as 127.0.0.1 or 0.0.0.0'],
  [{ PUBLIC_URL: 'portal.example.com' }, /^PUBLIC_URL is "portal.example.com", but must be an http or https address/],
  [
    { PRIVACY_URL: 'www.example.com' },
    'PRIVACY_URL is "www.example.com", but must be an address such as https://www.example.com/privacy',
  ],
  [{ PUBLIC_URL: 'https://a.example.com/portal' }, /without a path/],
  [{ PUBLIC_URL: 'https://ada:geheim@a.example.com' }, /^PUBLIC_URL is "https:\/\/…@a.example.com"/],
  [
    { PORTAL_TIMEZONE: 'Sydney' },
    'PORTAL_TIMEZONE is "Sydney", but must be an IANA time zone such as Australia/Sydney',
  ],
  [{ PORTAL_TIMEZONE: '+10:00' }, /^PORTAL_TIMEZONE is/],
  [{ BRAND_NAME: 'Jo <b>' }, /^BRAND_NAME is "Jo <b>", but must have 1 to 60 characters, and neither/],
  [{ BRAND_NAME: 'J\u202eo' }, /^BRAND_NAME is .*, but must have 1 to 60 characters/],
  [{ BRAND_NAME: 'J'.repeat(61) }, /, but must have 1 to 60 characters/],
  [{ SEED_DEMO: 'yes' }, 'SEED_DEMO is "yes", but must be true or false'],
  [{ LOG_LEVEL: 'loud' }, /^LOG_LEVEL is "loud", but must be one of fatal, error/],
  [{ RATE_LIMITS: 'false' }, 'RATE_LIMITS is "false", but must be on or off'],
  [{ TRUST_PROXY: 'yes' }, /^TRUST_PROXY is "yes", but must be loopback, or addresses and networks such as/],
  [{ TRUST_PROXY: '10.0.0.1,' }, /^TRUST_PROXY/],
  [{ TRUST_PROXY: '10.0.0.0/33' }, /^TRUST_PROXY/],
  [{ TRUST_PROXY: '0.0.0.0/0' }, /^TRUST_PROXY/],
  [{ CRM_NOTES: 'none' }, 'CRM_NOTES is "none", but must be all or portal'],
  [{ STATUS_MEANINGS: './none.txt' }, /^STATUS_MEANINGS is "\.\/none\.txt", but must be the path of a text file/],
  [{ CRM_FIELD_MAP: './no-such-map.json' }, /^CRM_FIELD_MAP is "\.\/no-such-map\.json", but must be the path/],
  [{ MAIL_FROM: 'Portal' }, /^MAIL_FROM is "Portal"/],
  [{ HOST: 'a\nb' }, /^HOST is "a\\nb"/],
  [{ ZOHO_CLIENT_ID: '1000.A' }, 'ZOHO_ACCOUNTS_URL is not set, but must be set because ZOHO_CLIENT_ID is'],
  [{ ...PRODUCTION, PUBLIC_URL: '' }, 'PUBLIC_URL is not set, but must be set in production'],
  [{ ...PRODUCTION, SMTP_URL: '' }, 'SMTP_URL is not set, but must be set in production'],
  [{ ...PRODUCTION, SECRETS_KEY: '' }, /^SECRETS_KEY is not set, but must be set in production: .*openssl rand/],
  [{ SECRETS_KEY: 'short' }, /^SECRETS_KEY is set \(its value is not shown\), but must be 32 bytes in base64/],
  [{ ...PRODUCTION, RATE_LIMITS: 'off' }, 'RATE_LIMITS is "off", but must be on in production'],
  [{ ...PRODUCTION, WEBHOOK_ALLOW_PRIVATE: 'true' }, /^WEBHOOK_ALLOW_PRIVATE is "true"/],
  [{ ...PRODUCTION, SEED_DEMO: 'true' }, 'SEED_DEMO is "true", but must be false in production'],
  [{ ...PRODUCTION, SYNC_WAIT_MS: '100' }, 'SYNC_WAIT_MS is "100", but must be 20000 in production'],
  [{ ...PRODUCTION, ZOHO_CLIENT_SECRET: 'sandbox' }, /^ZOHO_CLIENT_SECRET is set .*sandbox in production, unless/],
  [{ ...PRODUCTION, PUBLIC_URL: 'http://portal.example.com' }, /^PUBLIC_URL is .* must begin with https in production/],
  [{ ...PRODUCTION, ZOHO_API_URL: 'http://www.zohoapis.com.au' }, /^ZOHO_API_URL is .* must begin with https/],
  [{ ...PRODUCTION, ZOHO_ACCOUNTS_URL: 'http://localhost.zoho.com' }, /^ZOHO_ACCOUNTS_URL is .* must begin with https/],
  [{ ...PRODUCTION, SMTP_URL: 'smtp://mail.example.com?ignoreTLS=true' }, /^SMTP_URL is set .* over TLS only$/],
  [{ ...PRODUCTION, DATABASE_URL: 'postgres://db.example.com/portal' }, /^DATABASE_URL is set .*sslmode=verify-full/],
  [{ ...PRODUCTION, DATABASE_URL: 'postgres://127.0.0.1,db/portal' }, /^DATABASE_URL is set .*sslmode=verify-full/],
  [{ ...PRODUCTION, DATABASE_READ_URL: 'postgres://db/portal?sslmode=require' }, /^DATABASE_READ_URL is set/],
  // The driver takes the last of several options, and the address's own host instead of a blank one.
  [{ ...PRODUCTION, DATABASE_URL: 'postgres://db/portal?sslmode=verify-full&sslmode=disable' }, /^DATABASE_URL is set/],
  [{ ...PRODUCTION, DATABASE_URL: 'postgres://db/portal?host=localhost&host=db' }, /^DATABASE_URL is set/],
  [{ ...PRODUCTION, DATABASE_URL: 'postgres://db/portal?host=' }, /^DATABASE_URL is set/],
  [
    { ...PRODUCTION, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.example:4318' },
    /^OTEL_EXPORTER_OTLP_ENDPOINT is .* must begin with https in production/,
  ],
  [{ ROLE: 'both' }, 'ROLE is "both", but must be all, web or worker'],
  [{ DRAIN_SECONDS: '-1' }, /^DRAIN_SECONDS is "-1"/],
  [{ DATABASE_URL: 'postgres://portal@one:5432,:x/portal' }, /^DATABASE_URL is set .* or with several hosts/],
  [{ DATABASE_DIRECT_URL: 'postgres://db/portal' }, /^DATABASE_URL is not set, .* because DATABASE_DIRECT_URL is$/],
  [{ DATABASE_READ_URL: 'postgres://db/portal' }, /^DATABASE_URL is not set, .* because DATABASE_READ_URL is$/],
  [{ DATABASE_READ_URL: 'postgres://portal:geheim@one,two/portal' }, /^DATABASE_READ_URL is set .* name one server:/],
])('%j is refused with a one-line message', (env, message) => {
  expect(() => readSettings(env)).toThrow(SettingsError)
  expect(() => readSettings(env)).toThrow(message)
  expect(() => readSettings(env)).not.toThrow(/\n/)
})

test.each([{ DATABASE_URL: 'mysql://portal:geheim@db' }, { SMTP_URL: 'portal:geheim@mail' }])(
  'the refusal of %j does not repeat the secret',
  (env) => {
    expect(() => readSettings(env)).toThrow(/its value is not shown/)
    expect(() => readSettings(env)).not.toThrow(/geheim/)
  },
)
