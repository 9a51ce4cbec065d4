import { DEAL_NOTE_TITLE } from '@portal/contract/choices.ts'
import { CONSENT_VERSION, NewLead } from '@portal/contract/lead-form.ts'

/** When an act happens: at a time of the lender's office on a working day before today, or some minutes ago. */
type When = { day: number; time: string } | { minutesAgo: number }

type Author = 'mia' | 'tom' | 'website'

/** What somebody does in the demo's story. `on` is the business of the referral. */
export type Act = { when: When } & (
  | { does: 'sign up' }
  | { does: 'confirm' }
  | { does: 'invite' }
  | { does: 'join' }
  | { does: 'look' }
  | { does: 'submit'; by: Author; lead: NewLead }
  /** The website sends this lead with a mistake. */
  | { does: 'be refused'; lead: Record<string, string | number> }
  | { does: 'note'; by: 'mia' | 'tom'; on: string; content: string }
  | { does: 'status'; on: string; to: string }
  | { does: 'convert'; on: string; to: string }
  | { does: 'stage'; on: string; to: string }
  /** Fills in optional fields of the lead or deal (D110, D112), by the CRM's names. */
  | { does: 'fields'; on: string; fields: Record<string, string> }
  /** Fills in fields of the partner's own record (D114, D116). */
  | { does: 'partner fields'; fields: Record<string, string> }
  /** What the lender asks (D105), by its subject. */
  | { does: 'ask'; on: string; subject: string; reason: string; until: string }
  | { does: 'ask again'; on: string; subject: string; reason: string }
  | { does: 'accept'; on: string; subject: string }
  | { does: 'answer'; by: 'mia' | 'tom'; on: string; subject: string; content: string }
  /** A PDF of these lines that the lender attaches for the partner (D103). */
  | { does: 'attach'; on: string; name: string; lines: readonly string[] }
  /** Keeps a view of the leads, shared with the team (D81). */
  | { does: 'keep view'; name: string; query: string }
  | { does: 'lender note'; on: string; title: string; content: string }
)

const OFFICE_OFFSET = '+10:00'
const DAY_MS = 86_400_000

/** The instant of an act, if the story ends now. */
export function instantOf(when: When, now: Date): Date {
  if ('minutesAgo' in when) return new Date(now.getTime() - when.minutesAgo * 60_000)
  let day = Date.parse(
    `${new Date(now.getTime() + Number.parseInt(OFFICE_OFFSET, 10) * 3_600_000).toISOString().slice(0, 10)}`,
  )
  for (let left = when.day; left > 0; ) {
    day -= DAY_MS
    if (![0, 6].includes(new Date(day).getUTCDay())) left -= 1
  }
  return new Date(`${new Date(day).toISOString().slice(0, 10)}T${when.time}:00${OFFICE_OFFSET}`)
}

/** What the lender's staff enter about the commission of a deal (D110). */
function commission(amount: string, status: string, paidOn = '', note = ''): Record<string, string> {
  return {
    Partner_Commission: amount,
    Commission_Status: status,
    Commission_Paid_On: paidOn,
    Commission_Note: note,
  }
}

/** A day some days after the start of the demo, YYYY-MM-DD. */
function dayFromNow(days: number): string {
  return new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10)
}

const BOATS = referral('Northerly Boat Builders', 'Ingrid Falk', '+61 2 5550 1266', 118_000, 'Equipment Financing', {
  loanPurpose: 'Hull mould and spray equipment',
  businessIndustry: 'Manufacturing',
  monthlyTurnover: 92_000,
  additionalInfo: 'Best reached in the morning.',
})
const FISH = referral('Quayside Fish Market', 'Con Markakis', '+61 3 5550 1418', 74_000, 'Working Capital', {
  loanPurpose: 'Stock ahead of Easter',
  businessIndustry: 'Food & Beverage',
  monthlyTurnover: 130_000,
})
const OYSTERS = referral('Hawkesbury Oyster Co', 'Leila Farrugia', '+61 2 5550 1471', 64_000, 'Equipment Financing', {
  loanPurpose: 'Grading line',
  businessIndustry: 'Agriculture',
})
const COACHES = referral('Yarra Glen Coaches', 'Will Okoye', '+61 3 5550 1390', 240_000, 'Equipment Financing', {
  loanPurpose: 'Two school buses',
  businessIndustry: 'Transportation',
  monthlyTurnover: 310_000,
})
const SURF = referral('Bondi Surf School', 'Kai Moana', '+61 2 5550 1522', 38_000, 'Merchant Cash Advance', {
  loanPurpose: 'Boards and a van before summer',
  businessIndustry: 'Education',
  monthlyTurnover: 41_000,
})
const DENTAL = referral('Silver Gum Dental', 'Nadia Rahman', '+61 2 5550 1633', 185_000, 'Term Loan', {
  loanPurpose: 'Fit-out of a second surgery',
  businessIndustry: 'Healthcare',
  monthlyTurnover: 150_000,
})
const BAKERY = referral('Redfern Street Bakery', 'Josef Brandl', '+61 2 5550 1714', 52_000, 'Equipment Financing', {
  loanPurpose: 'Deck oven',
  businessIndustry: 'Food & Beverage',
})
const FEEDLOT = referral('Murrumbidgee Feedlot', 'Dale Prentice', '+61 2 5550 1805', 310_000, 'Asset Based Lending', {
  loanPurpose: 'Cattle against the spring contract',
  businessIndustry: 'Agriculture',
  monthlyTurnover: 420_000,
})
const VETS = referral('Lakeside Veterinary', 'Hannah Osei', '+61 3 5550 1926', 96_000, 'Term Loan', {
  loanPurpose: 'Ultrasound and dental chair',
  businessIndustry: 'Healthcare',
  monthlyTurnover: 78_000,
})
const CAFES = referral('Pepper Tree Cafes', 'Marco Bianchi', '+61 2 5550 1037', 45_000, 'Line of Credit', {
  loanPurpose: 'Stock between seasons',
  businessIndustry: 'Hospitality',
  monthlyTurnover: 66_000,
})

/** The commissions of deals that ended before the story begins. The florist repaid early, so the lender takes money back. */
const EARLIER = {
  joinery: commission('850', 'Paid', dayFromNow(-62)),
  grain: commission('2750', 'Paid', dayFromNow(-62)),
  cleaning: commission('806.4', 'Paid', dayFromNow(-34)),
  scaffolding: commission('2412.75', 'Paid', dayFromNow(-34)),
  florist: commission('-112.5', 'Paid', dayFromNow(-34), 'Repaid within six months'),
}

/**
 * Three weeks of a broker's and a lender's life (D138), in order. It continues the referrals that are under way in the
 * sandbox's demo data. At its end, one lead waits for the broker, one lender's note is unread, and one lead stands still.
 */
export const STORY: readonly Act[] = [
  { when: { day: 15, time: '09:02' }, does: 'sign up' },
  { when: { day: 15, time: '09:04' }, does: 'confirm' },
  {
    when: { day: 15, time: '09:30' },
    does: 'partner fields',
    fields: {
      // Where the lender confirms or invites partners, the portal waits for this word.
      Portal_Access: 'Active',
      Partner_Manager_Name: 'Priya Nair',
      Partner_Manager_Phone: '+61 2 5550 1900',
      Partner_Manager_Email: 'priya.nair@lender.example',
    },
  },
  { when: { day: 15, time: '09:40' }, does: 'invite' },
  { when: { day: 15, time: '10:05' }, does: 'join' },
  { when: { day: 15, time: '11:20' }, does: 'submit', by: 'mia', lead: BOATS },
  { when: { day: 14, time: '09:15' }, does: 'status', on: 'Clearview Glass & Glazing', to: 'Contacted' },
  { when: { day: 14, time: '09:20' }, does: 'fields', on: 'Coastal Joinery Co', fields: EARLIER.joinery },
  { when: { day: 14, time: '09:21' }, does: 'fields', on: 'Mallee Grain Services', fields: EARLIER.grain },
  { when: { day: 14, time: '09:22' }, does: 'fields', on: 'Waratah Cleaning Services', fields: EARLIER.cleaning },
  { when: { day: 14, time: '09:23' }, does: 'fields', on: 'Capital Scaffolding', fields: EARLIER.scaffolding },
  { when: { day: 14, time: '09:24' }, does: 'fields', on: 'Bluewren Florist', fields: EARLIER.florist },
  { when: { day: 14, time: '09:50' }, does: 'stage', on: 'Aurora Vet Clinic', to: 'Information Received' },
  { when: { day: 14, time: '10:10' }, does: 'status', on: 'Northerly Boat Builders', to: 'Contacted' },
  { when: { day: 14, time: '11:30' }, does: 'convert', on: 'Bluestone Data Centres', to: 'Waiting On Application' },
  { when: { day: 14, time: '13:45' }, does: 'submit', by: 'tom', lead: FISH },
  { when: { day: 13, time: '09:30' }, does: 'status', on: 'Quayside Fish Market', to: 'Attempting To Contact' },
  { when: { day: 13, time: '10:40' }, does: 'status', on: 'Redgum Timber Yard', to: 'Not Qualified' },
  {
    when: { day: 13, time: '10:42' },
    does: 'lender note',
    on: 'Redgum Timber Yard',
    title: 'Partner update',
    content: 'The forklifts are leased, so there is nothing to lend against.',
  },
  { when: { day: 13, time: '14:05' }, does: 'submit', by: 'website', lead: OYSTERS },
  { when: { day: 13, time: '15:00' }, does: 'status', on: 'Northerly Boat Builders', to: 'Pre Qualified' },
  {
    when: { day: 13, time: '15:02' },
    does: 'lender note',
    on: 'Northerly Boat Builders',
    title: 'Partner update',
    content: 'Turnover and time in business fit. Could Ingrid send six months of statements?',
  },
  {
    when: { day: 13, time: '16:10' },
    does: 'note',
    by: 'mia',
    on: 'Northerly Boat Builders',
    content: 'Ingrid has sent the statements to your team by email.',
  },
  { when: { day: 12, time: '09:20' }, does: 'convert', on: 'Northerly Boat Builders', to: 'Waiting On Application' },
  { when: { day: 12, time: '10:00' }, does: 'status', on: 'Quayside Fish Market', to: 'Contacted' },
  { when: { day: 12, time: '10:30' }, does: 'status', on: 'Hawkesbury Oyster Co', to: 'Contacted' },
  { when: { day: 12, time: '11:15' }, does: 'convert', on: 'Pōhutukawa Cafe Group', to: 'Waiting On Application' },
  { when: { day: 12, time: '12:40' }, does: 'submit', by: 'mia', lead: COACHES },
  { when: { day: 12, time: '15:30' }, does: 'stage', on: 'Bluestone Data Centres', to: 'Information Received' },
  { when: { day: 11, time: '09:10' }, does: 'stage', on: 'Bayside Commercial Kitchens', to: 'Funded' },
  {
    when: { day: 11, time: '09:12' },
    does: 'lender note',
    on: 'Bayside Commercial Kitchens',
    title: 'Partner update',
    content: 'Funds released this morning. Thank you for the referral!',
  },
  { when: { day: 11, time: '11:00' }, does: 'status', on: 'Yarra Glen Coaches', to: 'Contacted' },
  {
    when: { day: 11, time: '11:30' },
    does: 'fields',
    on: 'Bayside Commercial Kitchens',
    fields: commission('620', 'Payable'),
  },
  { when: { day: 10, time: '09:35' }, does: 'stage', on: 'Northerly Boat Builders', to: 'Information Received' },
  { when: { day: 10, time: '10:20' }, does: 'status', on: 'Quayside Fish Market', to: 'Lost Lead' },
  {
    when: { day: 10, time: '10:21' },
    does: 'lender note',
    on: 'Quayside Fish Market',
    title: 'Partner update',
    content: 'Went with their own bank: a lower rate on the overdraft.',
  },
  { when: { day: 10, time: '14:00' }, does: 'status', on: 'Hawkesbury Oyster Co', to: 'Pre Qualified' },
  { when: { day: 9, time: '09:40' }, does: 'convert', on: 'Hawkesbury Oyster Co', to: 'Waiting On Application' },
  { when: { day: 9, time: '10:15' }, does: 'submit', by: 'mia', lead: SURF },
  { when: { day: 9, time: '13:30' }, does: 'status', on: 'Bondi Surf School', to: 'Pre Call' },
  { when: { day: 9, time: '15:10' }, does: 'status', on: 'Yarra Glen Coaches', to: 'Pre Qualified' },
  { when: { day: 8, time: '09:25' }, does: 'convert', on: 'Yarra Glen Coaches', to: 'Waiting On Application' },
  { when: { day: 8, time: '11:00' }, does: 'stage', on: 'Northerly Boat Builders', to: 'Pending Approval' },
  {
    when: { day: 8, time: '11:05' },
    does: 'ask',
    on: 'Northerly Boat Builders',
    subject: 'Quote for the hull mould',
    reason: 'On the supplier’s letterhead, with the delivery date.',
    until: dayFromNow(-7),
  },
  { when: { day: 8, time: '14:20' }, does: 'status', on: 'Metro Courier Partners', to: 'Contact in Future' },
  { when: { day: 7, time: '09:30' }, does: 'stage', on: 'Hawkesbury Oyster Co', to: 'Information Received' },
  {
    when: { day: 7, time: '10:05' },
    does: 'answer',
    by: 'mia',
    on: 'Northerly Boat Builders',
    subject: 'Quote for the hull mould',
    content: 'Sent to your team by email: Marlin Moulds, delivery in six weeks.',
  },
  { when: { day: 7, time: '10:45' }, does: 'status', on: 'Stonefruit Orchards', to: 'Pre Qualified' },
  {
    when: { day: 7, time: '11:30' },
    does: 'keep view',
    name: 'In conversation',
    query: 'sort=-modified_time&sorted=all&status=Attempting To Contact|Contacted|Pre Qualified',
  },
  {
    when: { day: 7, time: '13:15' },
    does: 'stage',
    on: 'Bluestone Data Centres',
    to: 'With Southern Cross Equipment Finance',
  },
  {
    when: { day: 7, time: '15:30' },
    does: 'accept',
    on: 'Northerly Boat Builders',
    subject: 'Quote for the hull mould',
  },
  { when: { day: 6, time: '09:20' }, does: 'stage', on: 'Yarra Glen Coaches', to: 'Information Received' },
  {
    when: { day: 6, time: '09:40' },
    does: 'attach',
    on: 'Yarra Glen Coaches',
    name: 'Partner - What happens until settlement.pdf',
    lines: [
      'What happens until settlement',
      '1. The insurer looks at both buses.',
      '2. Will signs the documents, which we send to him.',
      '3. We pay the seller on the next working day.',
    ],
  },
  { when: { day: 6, time: '10:30' }, does: 'submit', by: 'mia', lead: DENTAL },
  { when: { day: 6, time: '14:10' }, does: 'stage', on: 'Aurora Vet Clinic', to: 'Consulting With Client' },
  { when: { day: 5, time: '09:45' }, does: 'stage', on: 'Northerly Boat Builders', to: 'Approved' },
  {
    when: { day: 5, time: '10:10' },
    does: 'ask',
    on: 'Yarra Glen Coaches',
    subject: 'Roadworthy certificates of both buses',
    reason: 'The insurer needs them before settlement.',
    until: dayFromNow(3),
  },
  { when: { day: 5, time: '10:50' }, does: 'status', on: 'Silver Gum Dental', to: 'Attempting To Contact' },
  { when: { day: 4, time: '09:15' }, does: 'stage', on: 'Hawkesbury Oyster Co', to: 'Thrown To Kestrel Capital' },
  {
    when: { day: 4, time: '09:17' },
    does: 'lender note',
    on: 'Hawkesbury Oyster Co',
    title: 'Partner update',
    content: 'Better suited to Kestrel’s low-doc product. They will call Leila this week.',
  },
  {
    when: { day: 4, time: '11:37' },
    does: 'be refused',
    lead: {
      businessName: 'Redfern Street Bakery',
      firstName: 'Josef',
      lastName: 'Brandl',
      email: 'josef@redfernstreetbakery',
      loanAmount: 52_000,
      loanType: 'Equipment Financing',
    },
  },
  { when: { day: 4, time: '11:40' }, does: 'submit', by: 'website', lead: BAKERY },
  { when: { day: 4, time: '15:20' }, does: 'stage', on: 'Pōhutukawa Cafe Group', to: 'Information Received' },
  {
    when: { day: 4, time: '11:55' },
    does: 'fields',
    on: 'Redfern Street Bakery',
    fields: { Partner_Verdict: 'Yours', Verdict_Reason: '', Protected_Until: dayFromNow(30) },
  },
  { when: { day: 3, time: '09:30' }, does: 'status', on: 'Redfern Street Bakery', to: 'Contacted' },
  { when: { day: 3, time: '10:10' }, does: 'status', on: 'Clearview Glass & Glazing', to: 'Pre Qualified' },
  { when: { day: 3, time: '11:30' }, does: 'convert', on: 'Stonefruit Orchards', to: 'Waiting On Application' },
  {
    when: { day: 3, time: '12:10' },
    does: 'answer',
    by: 'mia',
    on: 'Yarra Glen Coaches',
    subject: 'Roadworthy certificates of both buses',
    content: 'Will has sent both certificates to your team by email.',
  },
  { when: { day: 3, time: '13:00' }, does: 'submit', by: 'tom', lead: FEEDLOT },
  { when: { day: 3, time: '14:40' }, does: 'stage', on: 'Yarra Glen Coaches', to: 'Pending Approval' },
  { when: { day: 2, time: '09:50' }, does: 'status', on: 'Gumnut Toys', to: 'Re-engage' },
  {
    when: { day: 2, time: '09:52' },
    does: 'lender note',
    on: 'Gumnut Toys',
    title: 'Call',
    content: 'Back in touch: Christmas sold out. May we call Wendy on Thursday?',
  },
  {
    when: { day: 2, time: '10:30' },
    does: 'note',
    by: 'tom',
    on: 'Gumnut Toys',
    content: 'Yes, Thursday after ten suits her best.',
  },
  { when: { day: 2, time: '11:20' }, does: 'status', on: 'Murrumbidgee Feedlot', to: 'Contacted' },
  {
    when: { day: 2, time: '11:22' },
    does: 'fields',
    on: 'Murrumbidgee Feedlot',
    fields: { Partner_Verdict: 'Yours', Verdict_Reason: '', Protected_Until: dayFromNow(90) },
  },
  { when: { day: 2, time: '14:00' }, does: 'stage', on: 'Northerly Boat Builders', to: 'Funded' },
  {
    when: { day: 2, time: '14:02' },
    does: 'lender note',
    on: 'Northerly Boat Builders',
    title: 'Partner update',
    content: 'Settled. Thank you for the referral!',
  },
  {
    when: { day: 2, time: '14:10' },
    does: 'fields',
    on: 'Northerly Boat Builders',
    fields: commission('1180.35', 'Payable'),
  },
  { when: { day: 1, time: '09:40' }, does: 'stage', on: 'Torquay Surf Co', to: 'Approved' },
  { when: { day: 1, time: '09:45' }, does: 'fields', on: 'Torquay Surf Co', fields: commission('430', 'Expected') },
  { when: { day: 1, time: '11:10' }, does: 'submit', by: 'mia', lead: VETS },
  {
    when: { day: 1, time: '16:20' },
    does: 'fields',
    on: 'Gumnut Toys',
    fields: { Partner_Verdict: 'Already with us', Verdict_Reason: 'applied in May', Protected_Until: '' },
  },
  { when: { day: 1, time: '17:30' }, does: 'look' },
  { when: { minutesAgo: 240 }, does: 'submit', by: 'tom', lead: CAFES },
  {
    when: { minutesAgo: 210 },
    does: 'ask again',
    on: 'Yarra Glen Coaches',
    subject: 'Roadworthy certificates of both buses',
    reason: 'The second one expired in June. Please send the present one.',
  },
  {
    when: { minutesAgo: 200 },
    does: 'fields',
    on: 'Bayside Commercial Kitchens',
    fields: commission('620', 'Paid', dayFromNow(0)),
  },
  { when: { minutesAgo: 185 }, does: 'status', on: 'Lakeside Veterinary', to: 'Contact Soon' },
  { when: { minutesAgo: 120 }, does: 'status', on: 'Redfern Street Bakery', to: 'Pre Qualified' },
  {
    when: { minutesAgo: 118 },
    does: 'lender note',
    on: 'Redfern Street Bakery',
    title: 'Partner update',
    content: 'Pre-qualified for the full amount. Could Josef send his last two activity statements?',
  },
  {
    when: { minutesAgo: 80 },
    does: 'ask',
    on: 'Lakeside Veterinary',
    subject: 'Last three bank statements',
    reason: 'To confirm the turnover before we call Hannah.',
    until: dayFromNow(6),
  },
  { when: { minutesAgo: 55 }, does: 'status', on: 'Silver Gum Dental', to: 'Unable to Contact' },
]

export const NOTE_TITLES = { lead: null, deal: DEAL_NOTE_TITLE }

type Details = { loanPurpose: string; businessIndustry: string; monthlyTurnover?: number; additionalInfo?: string }

function referral(
  businessName: string,
  contact: string,
  phone: string,
  loanAmount: number,
  loanType: string,
  details: Details,
): NewLead {
  const [firstName = '', lastName = ''] = contact.split(' ')
  const domain = `${businessName.toLowerCase().replaceAll(/[^a-z]/g, '')}.example`
  return NewLead.parse({
    businessName,
    firstName,
    lastName,
    phone,
    loanAmount,
    loanType,
    email: `${firstName.toLowerCase()}@${domain}`,
    state: phone.startsWith('+61 3') ? 'VIC' : 'NSW',
    timeInBusiness: '5-10 years',
    loanTerm: '36 months',
    consentVersion: CONSENT_VERSION,
    ...details,
  })
}
