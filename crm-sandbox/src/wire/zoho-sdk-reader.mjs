/*
 * Measures how fast Zoho's own Node SDK reads leads, by a list with page tokens (200 a call) or by a query (2,000 a
 * call). It runs in its own process, because the SDK keeps its state in globals. It prints one JSON line with rows and
 * seconds, not counting the first page.
 *
 *   node zoho-sdk-reader.mjs <sandbox url> <folder for the SDK's files> <list | query> <columns> <rows>
 */
import * as Zoho from '@zohocrm/nodejs-sdk-8.0'

const [url = '', folder = '', way = 'list', columns = '', wanted = '2000'] = process.argv.slice(2)

const token = new Zoho.OAuthBuilder()
  .clientId('sandbox')
  .clientSecret('sandbox')
  .refreshToken('sandbox')
  .findUser(false)
  .build()

await (await new Zoho.InitializeBuilder())
  .environment(new Zoho.Environment(url, `${url}/oauth/v2/token`, url))
  .token(token)
  .store(new Zoho.FileStore(`${folder}/tokens.csv`))
  .SDKConfig(new Zoho.SDKConfigBuilder().autoRefreshFields(false).pickListValidation(false).build())
  .resourcePath(folder)
  .initialize()

async function* list() {
  for (let token; ; ) {
    const parameters = new Zoho.ParameterMap()
    await parameters.add(Zoho.Record.GetRecordsParam.FIELDS, columns)
    await parameters.add(Zoho.Record.GetRecordsParam.PER_PAGE, 200)
    if (token) await parameters.add(Zoho.Record.GetRecordsParam.PAGE_TOKEN, token)
    const page = (await new Zoho.Record.RecordOperations('Leads').getRecords(parameters)).getObject()
    yield page.getData()
    token = page.getInfo().getNextPageToken()
  }
}

async function* query() {
  for (let last = '0'; ; ) {
    const body = new Zoho.Coql.BodyWrapper()
    body.setSelectQuery(`select ${columns} from Leads where id > '${last}' order by id asc limit 0, 2000`)
    const rows = (await new Zoho.Coql.CoqlOperations().getRecords(body)).getObject().getData()
    yield rows
    last = String(rows.at(-1).getId())
  }
}

const pages = way === 'list' ? list() : query()
// Reading the first page also signs in and warms up the SDK.
await pages.next()
const startedAt = performance.now()
let rows = 0
while (rows < Number(wanted)) rows += (await pages.next()).value.length
process.stdout.write(`${JSON.stringify({ rows, seconds: (performance.now() - startedAt) / 1_000 })}\n`)
process.exit(0)
