/*
 * Takes a lead through the sandbox with Zoho's own Node SDK. It runs in its own process, because the SDK keeps its
 * state in globals. It prints one JSON line with the answer to each step.
 *
 *   node zoho-sdk-journey.mjs <sandbox url> <folder for the SDK's files>
 */
import { writeFileSync } from 'node:fs'
import * as Zoho from '@zohocrm/nodejs-sdk-8.0'

const [url = '', folder = ''] = process.argv.slice(2)
const seen = {}

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

const { Record: Api } = Zoho

function newRecord(values) {
  const record = new Api.Record()
  for (const [name, value] of Object.entries(values)) record.addKeyValue(name, value)
  return record
}

function body(records) {
  const wrapper = new Api.BodyWrapper()
  wrapper.setData(records)
  return wrapper
}

/** What a write returned: its status and code, the record's id if it has one, and the keys of the details. */
function outcome(response) {
  const [first] = response.getObject().getData()
  const code = first.getCode().getValue()
  const id = first.getDetails().get('id')
  return {
    status: response.getStatusCode(),
    code,
    id: id === undefined ? null : String(id),
    details: [...first.getDetails().keys()],
  }
}

function fields(...names) {
  const parameters = new Zoho.ParameterMap()
  return parameters.add(Api.GetRecordsParam.FIELDS, names.join(',')).then(() => parameters)
}

const partners = new Api.RecordOperations('Partners')
const leads = new Api.RecordOperations('Leads')
const deals = new Api.RecordOperations('Deals')

seen.partner = outcome(
  await partners.createRecords(body([newRecord({ Name: 'Quayside Brokers', Email: 'hello@quayside.example' })])),
)
const partner = new Api.Record()
partner.setId(BigInt(seen.partner.id))

const lead = {
  Last_Name: 'Okafor',
  First_Name: 'Nkem',
  Company: 'Okafor Freight',
  Email: 'nkem@okaforfreight.example',
  Phone: '+61491570156',
  LOID: 'LO-7H2K9QWZ',
  Loan_Amount: 150_000.5,
  Owns_Property: true,
  Lead_Status: new Zoho.Choice('New Lead'),
  Partner: partner,
}

async function upsert(values) {
  const wrapper = body([newRecord(values)])
  wrapper.setDuplicateCheckFields(['LOID'])
  return outcome(await leads.upsertRecords(wrapper))
}

seen.inserted = await upsert(lead)
seen.updated = await upsert({ ...lead, First_Name: 'Nkemdilim' })
seen.refused = outcome(await leads.createRecords(body([newRecord({ Last_Name: 'Twice', LOID: 'LO-7H2K9QWZ' })])))
const leadId = BigInt(seen.inserted.id)

const read = (await leads.getRecord(leadId)).getObject().getData()[0]
seen.read = {
  id: String(read.getId()),
  name: read.getKeyValue('Full_Name'),
  amount: read.getKeyValue('Loan_Amount'),
  ownsProperty: read.getKeyValue('Owns_Property'),
  partner: read.getKeyValue('Partner').getKeyValue('name'),
  createdTime: read.getCreatedTime() instanceof Date,
  owner: read.getKeyValue('Owner').getName(),
}

const listed = (await leads.getRecords(await fields('Last_Name', 'LOID', 'Modified_Time'))).getObject()
seen.listed = {
  count: listed.getData().length,
  more: listed.getInfo().getMoreRecords(),
  loid: listed.getData()[0].getKeyValue('LOID'),
}

const { NotesOperations, Note, ParentId, BodyWrapper: NoteBody, GetNotesParam } = Zoho.Notes
const note = new Note()
note.setNoteTitle('Portal')
note.setNoteContent('Bank statements uploaded.')
const parent = new ParentId()
parent.setId(leadId)
const module = new Zoho.Modules.MinifiedModule()
module.setAPIName('Leads')
await parent.setModule(module)
await note.setParentId(parent)
const noteBody = new NoteBody()
noteBody.setData([note])
seen.note = outcome(await new NotesOperations().createNotes(noteBody))
const noteFields = new Zoho.ParameterMap()
await noteFields.add(GetNotesParam.FIELDS, 'Note_Title,Note_Content,Parent_Id')
seen.noteRead = (await new NotesOperations().getNotes(noteFields)).getObject().getData()[0].getNoteContent()

const { AttachmentsOperations, FileBodyWrapper, GetAttachmentsParam } = Zoho.Attachments
const attachments = new AttachmentsOperations()
const statement = `${folder}/statement.pdf`
writeFileSync(statement, '%PDF-1.4 statement')
const upload = new FileBodyWrapper()
upload.setFile(new Zoho.StreamWrapper(null, null, statement))
seen.attached = outcome(await attachments.uploadAttachments(leadId, 'Leads', upload))
const attachmentFields = new Zoho.ParameterMap()
await attachmentFields.add(GetAttachmentsParam.FIELDS, 'id,File_Name,Size,Created_Time,Owner')
const listAttachments = () => attachments.getAttachments(leadId, 'Leads', attachmentFields)
const [attached] = (await listAttachments()).getObject().getData()
seen.attachment = { id: String(attached.getId()), name: attached.getFileName(), size: String(attached.getSize()) }
// The SDK answers a download with a promise of the object.
const download = (await (await attachments.getAttachment(attached.getId(), leadId, 'Leads')).getObject()).getFile()
seen.downloaded = { name: download.getName(), content: String(download.getStream()) }
seen.detached = outcome(await attachments.deleteAttachment(attached.getId(), leadId, 'Leads'))
seen.attachmentsLeft = (await listAttachments()).getStatusCode()

const tasks = new Api.RecordOperations('Tasks')
const about = new Api.Record()
about.setId(leadId)
const ask = { Subject: 'Partner: statements', Status: new Zoho.Choice('Not Started'), What_Id: about }
seen.asked = outcome(await tasks.createRecords(body([newRecord(ask)])))
const taskId = BigInt(seen.asked.id)
seen.begun = outcome(await tasks.updateRecord(taskId, body([newRecord({ Status: new Zoho.Choice('In Progress') })])))
const task = (await tasks.getRecord(taskId)).getObject().getData()[0]
seen.task = { subject: task.getKeyValue('Subject'), status: task.getKeyValue('Status').getValue() }
seen.withdrawn = outcome(await tasks.deleteRecord(taskId))

const queryBody = new Zoho.Coql.BodyWrapper()
queryBody.setSelectQuery(
  `select Last_Name, Partner, Modified_Time from Leads where Partner = '${seen.partner.id}' limit 0, 2000`,
)
const rows = (await new Zoho.Coql.CoqlOperations().getRecords(queryBody)).getObject()
seen.coql = { count: rows.getInfo().getCount(), id: String(rows.getData()[0].getId()) }

const deal = newRecord({
  Deal_Name: 'Okafor Freight – term loan',
  Stage: new Zoho.Choice('Information Received'),
  Closing_Date: new Date('2026-06-30'),
})
const converter = new Zoho.ConvertLead.LeadConverter()
await converter.setDeals(deal)
const convertBody = new Zoho.ConvertLead.BodyWrapper()
convertBody.setData([converter])
const convert = () => new Zoho.ConvertLead.ConvertLeadOperations(leadId).convertLead(convertBody)
const converted = await convert()
const dealRecord = converted.getObject().getData()[0].getDetails().get('Deals')
const dealId = String(dealRecord.getId())
seen.converted = { status: converted.getStatusCode(), dealId }
const again = await convert()
seen.convertedAgain = { status: again.getStatusCode(), code: again.getObject().getCode().getValue() }

const dealRead = (await deals.getRecord(BigInt(dealId))).getObject().getData()[0]
seen.deal = {
  loid: dealRead.getKeyValue('LOID'),
  amount: dealRead.getKeyValue('Amount'),
  stage: dealRead.getKeyValue('Stage').getValue(),
}

const gone = new Zoho.ParameterMap()
await gone.add(Api.DeleteRecordsParam.IDS, dealId)
seen.deleted = outcome(await deals.deleteRecords(gone))
seen.deletedList = (await deals.getDeletedRecords(new Zoho.ParameterMap())).getObject().getData().length
seen.empty = (await deals.getRecords(await fields('Deal_Name'))).getStatusCode()

process.stdout.write(`${JSON.stringify(seen)}\n`)
process.exit(0)
