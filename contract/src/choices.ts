/** The enumerations of section 3. Values that the CRM adds are stored and shown unchanged (D22). */
export const LEAD_STATUSES = [
  'Re-engage',
  'New Lead',
  'Not Contacted',
  'Pre Call',
  'Contact Soon',
  'Attempting To Contact',
  'Contacted',
  'Contact in Future',
  'Pre Qualified',
  'Unable to Contact',
  'Junk Lead',
  'Test Lead',
  'Lost Lead',
  'Not Qualified',
  'Duplicate',
] as const

/** The status of a lead that the CRM has not yet seen. */
export const SUBMITTED_STATUS = 'New Lead'
/** What pages show as the status of a lead that the partner withdrew (D86). */
export const WITHDRAWN_STATUS = 'Withdrawn'

/** The stages with a fixed label; the CRM adds its 'Thrown To …' and 'With …' stages (D22). */
export const DEAL_STAGES = [
  'Re-Engage',
  'Waiting On Application',
  'Information Received',
  'Consulting With Client',
  'Consumer Or Asset Deal',
  'Pending Approval',
  'Approved',
  'Funded',
  'Closed',
] as const

/**
 * The first stage of a deal that a partner submits. If the CRM lacks this stage, the deal begins in the CRM's first
 * stage.
 */
export const SUBMITTED_STAGE = 'Waiting On Application'

export const INDUSTRIES = [
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
] as const

export const TIMES_IN_BUSINESS = ['Less than 1 year', '1-2 years', '2-5 years', '5-10 years', '10+ years'] as const

export const LOAN_TYPES = [
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
] as const

/** The states of a commission (D110), as `crm setup` makes them. A lender may use its own words. */
export const COMMISSION_STATUSES = ['Expected', 'Payable', 'Paid', 'Cancelled'] as const

/** What the lender says of a partner's access to the portal (D116). These words are the portal's own. */
export const PORTAL_ACCESS = ['Active', 'Pending', 'Suspended', 'Invited'] as const
export type PortalAccess = (typeof PORTAL_ACCESS)[number]

/** Whether a business is registered for GST (D113). */
export const GST_REGISTERED = ['Yes', 'No'] as const
export type GstRegistered = (typeof GST_REGISTERED)[number]

export const LOAN_TERMS = [
  '3 months',
  '6 months',
  '12 months',
  '18 months',
  '24 months',
  '36 months',
  '60 months',
  'Other',
] as const

export const STATES = ['NSW', 'VIC', 'QLD', 'WA', 'SA', 'TAS', 'ACT', 'NT'] as const

export const ISO_COUNTRIES = ['AU', 'NZ'] as const
export type IsoCountry = (typeof ISO_COUNTRIES)[number]

export const DEFAULT_LEAD_SOURCE = 'Partner Portal'
export const DEAL_NOTE_TITLE = 'Deal Note'
