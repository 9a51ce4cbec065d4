export type User = { id: string; name: string; email: string; role: string; profile: string }

/** The user whose token calls the API. */
export const API_USER: User = {
  id: '5400000000000200099',
  name: 'Portal API',
  email: 'portal.api@lender.example',
  role: 'Integration',
  profile: 'Administrator',
}

/** The user who acts on the staff page. */
export const STAFF_USER: User = {
  id: '5400000000000200013',
  name: 'Maya Thornton',
  email: 'maya.thornton@lender.example',
  role: 'Senior Loan Officer',
  profile: 'Standard',
}

export const COLLEAGUE: User = {
  id: '5400000000000200021',
  name: 'Callum Reid',
  email: 'callum.reid@lender.example',
  role: 'Credit Analyst',
  profile: 'Standard',
}

export const USERS: readonly User[] = [STAFF_USER, COLLEAGUE, API_USER]

export function findUser(id: string): User | undefined {
  return USERS.find((user) => user.id === id)
}

/** The user who acted, and the source of the action. The timeline shows both. */
export type Actor = { user: User; source: 'crm_api' | 'crm_ui' | 'convert' | 'workflow' }

export const ORG = {
  id: '5400000000000020005',
  company_name: 'Blue Gum Business Lending',
  zgid: '54000001',
  country_code: 'AU',
  time_zone: 'Australia/Brisbane',
  currency: 'Australian Dollar',
  iso_code: 'AUD',
  currency_symbol: 'A$',
  currency_locale: 'en_AU',
  primary_email: 'office@lender.example',
  country: 'Australia',
}
