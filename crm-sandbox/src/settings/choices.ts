type ForecastType = 'Open' | 'Closed Won' | 'Closed Lost'

/** One value of a picklist. `actual` is its original name, which stays when the lender changes the displayed name. */
export type Choice = { display: string; actual: string; colour: string; probability?: number; forecast?: ForecastType }

const BLUE = '#57b1fd'

function choice(display: string, colour = BLUE, actual = display): Choice {
  return { display, actual, colour }
}

function stage(display: string, probability: number, forecast: ForecastType, actual = display): Choice {
  const colour = forecast === 'Closed Won' ? '#25b52a' : forecast === 'Closed Lost' ? '#eb4d4d' : '#57b1fd'
  return { display, actual, colour, probability, forecast }
}

function choices(...names: string[]): Choice[] {
  return names.map((name) => choice(name))
}

export const LEAD_STATUSES: Choice[] = [
  choice('Re-engage', '#879bfc'),
  choice('New Lead', '#57b1fd'),
  choice('Not Contacted', '#57b1fd'),
  choice('Pre Call', '#f8e199'),
  choice('Contact Soon', '#f8e199'),
  // The lender renamed this built-in value. Its actual name is still the original.
  choice('Attempting To Contact', '#f8e199', 'Attempted to Contact'),
  choice('Contacted', '#f8e199'),
  choice('Contact in Future', '#f8e199'),
  choice('Pre Qualified', '#25b52a'),
  choice('Unable to Contact', '#f17574'),
  choice('Junk Lead', '#eb4d4d'),
  choice('Test Lead', '#eb4d4d'),
  choice('Lost Lead', '#eb4d4d'),
  choice('Not Qualified', '#eb4d4d'),
  choice('Duplicate', '#eb4d4d'),
]

export const DEAL_STAGES: Choice[] = [
  stage('Re-Engage', 5, 'Open'),
  stage('Waiting On Application', 10, 'Open'),
  stage('Information Received', 25, 'Open'),
  stage('Consulting With Client', 35, 'Open'),
  stage('Thrown To Kestrel Capital', 45, 'Open'),
  stage('Thrown To Wattle Street Lending', 45, 'Open'),
  stage('With Kestrel Capital', 55, 'Open'),
  stage('With Southern Cross Equipment Finance', 55, 'Open'),
  stage('Consumer Or Asset Deal', 40, 'Open'),
  stage('Pending Approval', 65, 'Open', 'Credit Review'),
  stage('Approved', 85, 'Open'),
  stage('Funded', 100, 'Closed Won'),
  stage('Closed', 0, 'Closed Lost'),
]

/** The values that a workflow sets on new records if the switch `workflowOnCreation` is on. */
export const ON_CREATION: { [module: string]: { [field: string]: string } } = {
  Leads: { Lead_Status: 'Contact Soon' },
  Deals: { Stage: 'Consulting With Client' },
}

export const LEAD_SOURCES = choices('Partner Portal', 'Website', 'Referral', 'Cold Call', 'Advertisement', 'Trade Show')

export const INDUSTRIES = choices(
  'Agriculture',
  'Automotive',
  'Construction',
  'Education',
  'Energy',
  'Finance',
  'Food & Beverage',
  'Healthcare',
  'Hospitality',
  'Information Technology',
  'Legal',
  'Manufacturing',
  'Real Estate',
  'Retail',
  'Transportation',
  'Other',
)

export const TIMES_IN_BUSINESS = choices('Less than 1 year', '1-2 years', '2-5 years', '5-10 years', '10+ years')

export const LOAN_TYPES = choices(
  'Term Loan',
  'Equipment Financing',
  'Line of Credit',
  'SBA Loan',
  'Invoice Factoring',
  'Merchant Cash Advance',
  'Commercial Real Estate',
  'Working Capital',
  'Asset Based Lending',
  'Other',
)

export const LOAN_TERMS = choices(
  '3 months',
  '6 months',
  '12 months',
  '18 months',
  '24 months',
  '36 months',
  '60 months',
  'Other',
)

/** The statuses of tasks for each position of the switch `taskStatuses`. Statuses at the same index mean the same. */
export const TASK_STATUSES = {
  zoho: [
    choice('Not Started'),
    choice('Deferred'),
    choice('In Progress'),
    choice('Completed'),
    // Zoho renamed this value itself.
    choice('Waiting for input', BLUE, 'Waiting on someone else'),
  ],
  renamed: [
    choice('Open', BLUE, 'Not Started'),
    choice('Later', BLUE, 'Deferred'),
    choice('Under way', BLUE, 'In Progress'),
    choice('Done', BLUE, 'Completed'),
    choice('Ask again', BLUE, 'Waiting on someone else'),
  ],
  own: choices('To do', 'On hold', 'With us', 'Finished', 'Returned'),
}

/** What staff set a task to, as an index of its statuses. */
export const TASK_STATUS_AT = { asked: 0, accepted: 3, again: 4 }

export const TASK_PRIORITIES = choices('High', 'Highest', 'Low', 'Lowest', 'Normal')

export const PARTNER_ISOS = choices('AU', 'NZ')

export const STATES = choices('NSW', 'VIC', 'QLD', 'WA', 'SA', 'TAS', 'ACT', 'NT')

/**
 * Returns the stored value for either name of a choice. A value that is not in the list is returned unchanged, as in
 * Zoho.
 */
export function actualValue(list: readonly Choice[], given: string): string {
  return (list.find((one) => one.actual === given) ?? list.find((one) => one.display === given))?.actual ?? given
}

export function displayValue(list: readonly Choice[], actual: string): string {
  return list.find((one) => one.actual === actual)?.display ?? actual
}
