/*
 * How fast Zoho's own Node SDK reads what a query finds, 2,000 rows a call. It is a process of its own because the SDK keeps itself in
 * globals, and prints one JSON line: rows and seconds, without signing in.
 *
 *   node zoho-sdk-reader.mjs <sandbox url> <folder for the SDK's files> <columns> <module> <condition> <pages>
 */
import * as Zoho from '@zohocrm/nodejs-sdk-8.0'

const [url = '', folder = '', columns = '', module = '', condition = '', pages = '1'] = process.argv.slice(2)

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

async function read(select, from, where, limit) {
  const body = new Zoho.Coql.BodyWrapper()
  body.setSelectQuery(`select ${select} from ${from} where ${where} order by id asc limit 0, ${limit}`)
  const response = await new Zoho.Coql.CoqlOperations().getRecords(body)
  return response.getObject()?.getData() ?? []
}

// Signs in and warms up.
await read('id', module, condition, 1)

const startedAt = performance.now()
let rows = 0
let last = '0'
for (let page = 0; page < Number(pages); page++) {
  const found = await read(columns, module, `(${condition}) and id > '${last}'`, 2_000)
  rows += found.length
  if (found.length === 0) break
  last = String(found.at(-1).getId())
}
process.stdout.write(`${JSON.stringify({ rows, seconds: (performance.now() - startedAt) / 1_000 })}\n`)
process.exit(0)
