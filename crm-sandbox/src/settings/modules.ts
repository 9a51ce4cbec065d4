import {
  type Choice,
  DEAL_STAGES,
  INDUSTRIES,
  LEAD_SOURCES,
  LEAD_STATUSES,
  LOAN_TERMS,
  LOAN_TYPES,
  PARTNER_ISOS,
  STATES,
  TASK_PRIORITIES,
  TASK_STATUSES,
  TIMES_IN_BUSINESS,
} from './choices.ts'

export type ModuleName = 'Partners' | 'Leads' | 'Deals' | 'Contacts' | 'Accounts' | 'Notes' | 'Tasks'

const DATA_TYPES = [
  'text',
  'textarea',
  'email',
  'phone',
  'website',
  'picklist',
  'currency',
  'percent',
  'boolean',
  'date',
  'datetime',
  'lookup',
  'ownerlookup',
  'bigint',
  'integer',
] as const

type DataType = (typeof DATA_TYPES)[number]

export function isDataType(text: string): text is DataType {
  return DATA_TYPES.some((type) => type === text)
}

export type Field = {
  id: string
  apiName: string
  label: string
  type: DataType
  /** The length of the longest text accepted. A client reads it from settings/fields. */
  length: number
  mandatory: boolean
  /** Required by the layout, and so by the CRM's own forms. The API requires the field only if a switch says so. */
  layoutMandatory: boolean
  readOnly: boolean
  custom: boolean
  unique: boolean
  choices?: Choice[]
  lookup?: ModuleName
  /** The column that holds the field, if it is not in the record's JSON. */
  column?: string
  /** The fields to which a conversion copies this field. */
  convertsTo?: { [module in 'Contacts' | 'Accounts' | 'Deals']?: string }
}

export type Module = {
  id: string
  name: ModuleName
  singular: string
  plural: string
  custom: boolean
  layoutId: string
  /** The field that names the record in lookups. */
  nameField: string
  /** The fields, besides the unique fields, by which an upsert can find a record. It checks them in this order. */
  systemDuplicateFields: string[]
  fields: Field[]
}

type Draft = Partial<Omit<Field, 'id' | 'apiName'>>

function draft(apiName: string, type: DataType, length: number, more: Draft = {}): Omit<Field, 'id'> {
  return {
    apiName,
    label: apiName.replace(/__s$/, '').replaceAll('_', ' '),
    type,
    length,
    mandatory: false,
    layoutMandatory: false,
    readOnly: false,
    custom: false,
    unique: false,
    ...more,
  }
}

const text = (name: string, length: number, more?: Draft) => draft(name, 'text', length, more)
const email = (more?: Draft) => draft('Email', 'email', 100, more)
const phone = (more?: Draft) => draft('Phone', 'phone', 30, more)
const picklist = (name: string, choices: Choice[], more?: Draft) => draft(name, 'picklist', 120, { choices, ...more })
const money = (name: string, more?: Draft) => draft(name, 'currency', 16, more)
const lookup = (name: string, module: ModuleName, more?: Draft) =>
  draft(name, 'lookup', 120, { lookup: module, ...more })

const custom = { custom: true }

const SYSTEM_FIELDS = [
  draft('Owner', 'ownerlookup', 120, { column: 'owner' }),
  draft('Created_By', 'ownerlookup', 120, { column: 'created_by', readOnly: true }),
  draft('Modified_By', 'ownerlookup', 120, { column: 'modified_by', readOnly: true }),
  draft('Created_Time', 'datetime', 120, { column: 'created_time', readOnly: true }),
  draft('Modified_Time', 'datetime', 120, { column: 'modified_time', readOnly: true }),
  draft('Last_Activity_Time', 'datetime', 120, { column: 'modified_time', readOnly: true }),
]

const MODULES: readonly Module[] = [
  define(
    1,
    'Leads',
    'Lead',
    'Leads',
    'Full_Name',
    ['Email'],
    [
      text('Company', 200, { layoutMandatory: true, convertsTo: { Accounts: 'Account_Name', Deals: 'Business_Name' } }),
      text('First_Name', 40, { convertsTo: { Contacts: 'First_Name' } }),
      text('Last_Name', 80, { mandatory: true, convertsTo: { Contacts: 'Last_Name' } }),
      text('Full_Name', 120, { readOnly: true }),
      email({ convertsTo: { Contacts: 'Email', Deals: 'Email' } }),
      phone({ convertsTo: { Contacts: 'Phone', Accounts: 'Phone', Deals: 'Phone' } }),
      picklist('State', STATES, { convertsTo: { Contacts: 'Mailing_State', Accounts: 'Billing_State' } }),
      picklist('Lead_Status', LEAD_STATUSES),
      picklist('Lead_Source', LEAD_SOURCES, { convertsTo: { Contacts: 'Lead_Source', Deals: 'Lead_Source' } }),
      picklist('Industry', INDUSTRIES, { convertsTo: { Accounts: 'Industry' } }),
      draft('Description', 'textarea', 32_000, {
        convertsTo: { Contacts: 'Description', Accounts: 'Description', Deals: 'Description' },
      }),
      text('LOID', 20, { ...custom, unique: true, convertsTo: { Deals: 'LOID' } }),
      lookup('Partner', 'Partners', {
        ...custom,
        convertsTo: { Contacts: 'Partner', Accounts: 'Partner', Deals: 'Partner' },
      }),
      picklist('Partner_ISO', PARTNER_ISOS, { ...custom, convertsTo: { Deals: 'Partner_ISO' } }),
      money('Loan_Amount', { ...custom, convertsTo: { Deals: 'Amount' } }),
      picklist('Loan_Type', LOAN_TYPES, { ...custom, convertsTo: { Deals: 'Loan_Type' } }),
      draft('Loan_Purpose', 'textarea', 2_000, { ...custom, convertsTo: { Deals: 'Loan_Purpose' } }),
      picklist('Loan_Term', LOAN_TERMS, { ...custom, convertsTo: { Deals: 'Loan_Term' } }),
      money('Sales_Monthly', custom),
      picklist('Time_in_Business', TIMES_IN_BUSINESS, custom),
      text('Business_ABN', 30, custom),
      text('Brand', 120, custom),
      draft('Permit_Link', 'website', 450, custom),
      draft('Owns_Property', 'boolean', 5, custom),
      money('Property_Value', custom),
      money('Property_Debt', custom),
      text('Referral_Consent', 255, custom),
      text('Submitted_By', 255, { ...custom, convertsTo: { Deals: 'Submitted_By' } }),
      draft('Converted__s', 'boolean', 5, { column: 'converted', readOnly: true }),
      draft('Converted_Date_Time', 'datetime', 120, { readOnly: true }),
      lookup('Converted_Account', 'Accounts', { readOnly: true }),
      lookup('Converted_Contact', 'Contacts', { readOnly: true }),
      lookup('Converted_Deal', 'Deals', { readOnly: true }),
    ],
  ),
  define(
    2,
    'Deals',
    'Deal',
    'Deals',
    'Deal_Name',
    ['Deal_Name'],
    [
      text('Deal_Name', 120, { mandatory: true }),
      picklist('Stage', DEAL_STAGES, { mandatory: true }),
      picklist('Pipeline', [{ display: 'Standard (Standard)', actual: 'Standard (Standard)', colour: '#57b1fd' }]),
      money('Amount'),
      draft('Closing_Date', 'date', 20, { layoutMandatory: true }),
      draft('Probability', 'percent', 5),
      money('Expected_Revenue', { readOnly: true }),
      lookup('Contact_Name', 'Contacts'),
      lookup('Account_Name', 'Accounts'),
      picklist('Lead_Source', LEAD_SOURCES),
      draft('Description', 'textarea', 32_000),
      draft('Lead_Conversion_Time', 'bigint', 18, { readOnly: true }),
      text('LOID', 20, { ...custom, unique: true }),
      lookup('Partner', 'Partners', custom),
      picklist('Partner_ISO', PARTNER_ISOS, custom),
      text('Submitted_By', 255, custom),
      text('Business_Name', 255, custom),
      email(custom),
      phone(custom),
      picklist('Loan_Type', LOAN_TYPES, custom),
      draft('Loan_Purpose', 'textarea', 2_000, custom),
      picklist('Loan_Term', LOAN_TERMS, custom),
    ],
  ),
  define(
    3,
    'Contacts',
    'Contact',
    'Contacts',
    'Full_Name',
    ['Email'],
    [
      text('First_Name', 40),
      text('Last_Name', 80, { mandatory: true }),
      text('Full_Name', 120, { readOnly: true }),
      lookup('Account_Name', 'Accounts'),
      email(),
      phone(),
      text('Mailing_State', 100),
      picklist('Lead_Source', LEAD_SOURCES),
      draft('Description', 'textarea', 32_000),
      lookup('Partner', 'Partners', custom),
    ],
  ),
  define(
    4,
    'Accounts',
    'Account',
    'Accounts',
    'Account_Name',
    ['Account_Name'],
    [
      text('Account_Name', 200, { mandatory: true }),
      phone(),
      draft('Website', 'website', 255),
      picklist('Industry', INDUSTRIES),
      text('Billing_State', 100),
      draft('Description', 'textarea', 32_000),
      lookup('Partner', 'Partners', custom),
    ],
  ),
  define(
    5,
    'Partners',
    'Partner',
    'Partners',
    'Name',
    ['Name'],
    [
      text('Name', 200, { mandatory: true }),
      draft('Email', 'email', 100),
      text('First_Name', 100, custom),
      text('Last_Name', 100, custom),
      phone(custom),
    ],
  ),
  define(
    6,
    'Notes',
    'Note',
    'Notes',
    'Note_Title',
    [],
    [text('Note_Title', 120), draft('Note_Content', 'textarea', 65_535), draft('Parent_Id', 'lookup', 120)],
  ),
  define(
    7,
    'Tasks',
    'Task',
    'Tasks',
    'Subject',
    [],
    [
      text('Subject', 255, { mandatory: true }),
      draft('Description', 'textarea', 32_000),
      draft('Due_Date', 'date', 20),
      picklist('Status', TASK_STATUSES.zoho),
      picklist('Priority', TASK_PRIORITIES),
      draft('What_Id', 'lookup', 120),
      draft('Who_Id', 'lookup', 120),
      draft('Closed_Time', 'datetime', 120, { readOnly: true }),
    ],
  ),
]

/** Finds a module by the name that paths and queries use. Upper and lower case matter. */
export function findModule(name: string): Module | undefined {
  return MODULES.find((module) => module.name === name)
}

export function allModules(): readonly Module[] {
  return MODULES
}

export function getModule(name: ModuleName): Module {
  const module = findModule(name)
  if (!module) throw new Error(`no module ${name}`)
  return module
}

export function findField(module: Module, apiName: string): Field | undefined {
  return module.fields.find((field) => field.apiName === apiName)
}

function define(
  index: number,
  name: ModuleName,
  singular: string,
  plural: string,
  nameField: string,
  systemDuplicateFields: string[],
  fields: Omit<Field, 'id'>[],
): Module {
  const id = (local: number) => `540000000000${String(index * 1000 + local).padStart(7, '0')}`
  return {
    id: id(0),
    name,
    singular,
    plural,
    custom: name === 'Partners',
    layoutId: id(900),
    nameField,
    systemDuplicateFields,
    fields: [...fields, ...SYSTEM_FIELDS].map((field, position) => ({ id: id(position + 1), ...field })),
  }
}
