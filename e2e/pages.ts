// The pages of the portal that browser tests go through.

/** Records that pages are about. */
export interface Records {
  leadLoid: string
  dealLoid: string
  /** A lead that its submitter may correct. */
  newLoid: string
}

export interface Screen {
  path: string | ((records: Records) => string)
  heading: string | RegExp
  /** Texts that the page must show. */
  texts: string[]
  /** The server refuses a call of the page, which the browser reports as an error. */
  isRefused?: boolean
}

/** Pages in states that no other file checks: with all of the demo's data, or with no search result. */
export const SCREENS: Screen[] = [
  {
    path: '/dashboard',
    heading: 'Dashboard',
    texts: [
      'Total Leads',
      'Total Deals',
      'Deal Value',
      'Conversion Rate',
      'Deal Pipeline',
      'Recent Leads',
      'Recent Deals',
      'Recent Activity',
    ],
  },
  { path: '/leads', heading: 'Leads', texts: ['Sync from CRM', 'Debug', 'Import', 'New Lead', 'Filters', '1–20 of '] },
  {
    path: ({ leadLoid }) => `/leads/${leadLoid}`,
    heading: /./,
    texts: ['Primary Information', 'Business Details', 'Status History', 'Latest', 'Notes', 'Add Note', 'Industry'],
  },
  {
    path: '/deals',
    heading: 'Deals',
    texts: ['Total Deals', 'Won Deals', 'Total Value', 'Avg Deal Size', 'Sort by Amount', 'Filters'],
  },
  {
    path: ({ dealLoid }) => `/deals/${dealLoid}`,
    heading: /./,
    texts: [
      'Re-sync',
      'Contact Person',
      'Details',
      'Notes',
      'Deal Summary',
      'Stage History',
      'Recent Activity',
      'Closing Date',
    ],
  },
  {
    path: '/payments',
    heading: 'Payments',
    texts: ['Paid', 'Payable', 'Expected', 'No payment date yet'],
  },
  {
    path: '/api-docs',
    heading: 'API Docs',
    texts: [
      'Base URL',
      'Authentication',
      'Your session token',
      'Endpoints',
      'Code examples',
      'Follow changes',
      'Webhooks',
      'Error codes',
      'Rate limits',
      'Support',
    ],
  },
  { path: '/leads/import', heading: 'Import Leads', texts: ['Choose File', 'Template'] },
  { path: '/activity', heading: 'Activity', texts: ['Who', 'Type', 'Date To'] },
  { path: '/security', heading: 'Security Log', texts: ['Who', 'Signed in'] },
  { path: '/search?q=a', heading: 'Search Results', texts: ['Quick Actions', 'Leads', 'Deals'] },
  {
    path: '/search?q=nobody%20has%20this%20name',
    heading: 'Search Results',
    texts: ['0 results', 'Business or contact names', 'Email or phone', 'LOID', 'Loan types or industries'],
  },
]

/** Other files also check the looks of these forms when they are filled in or show messages. */
export const OPEN_FORMS: Screen[] = [
  { path: '/login', heading: 'Sign in', texts: ['Forgot your password?', 'Create Partner Account'] },
  {
    path: '/signup',
    heading: 'Create your account',
    texts: ['First name', 'Last name', 'Email', 'Business name', 'Password', 'Confirm password'],
  },
  { path: '/forgot-password', heading: 'Forgot your password?', texts: ['Email', 'Back to sign in'] },
  {
    path: '/reset-password?token=x',
    heading: 'Choose a new password',
    texts: ['New password', 'Confirm new password'],
  },
  { path: '/verify-email?token=x', heading: 'Email verification', texts: ['Sign in'], isRefused: true },
  { path: '/confirm-email?token=x', heading: 'New email address', texts: ['Sign in'], isRefused: true },
  { path: '/undo-email?token=x', heading: 'Not your change?', texts: ['Undo the change', 'Back to sign in'] },
  { path: '/invite?token=x', heading: 'Your invitation', texts: ['no longer valid', 'Sign in'], isRefused: true },
  {
    path: '/disown?token=x',
    heading: 'Not your account?',
    texts: ['I did not create this account', 'Back to sign in'],
  },
  { path: '/unsubscribe?token=x', heading: 'Unsubscribe', texts: ['Choose which emails you get'] },
]
export const FORMS: Screen[] = [
  {
    path: '/leads/new',
    heading: 'New Lead',
    texts: [
      'Personal Information',
      'Business Information',
      'Loan Information',
      'Property Information (optional)',
      'Additional Details',
      'Submit Lead',
      'Cancel',
    ],
  },
  {
    path: ({ newLoid }) => `/leads/${newLoid}/correct`,
    heading: 'Correct Lead',
    texts: ['Personal Information', 'Business Information', 'Loan Information', 'Save Correction', 'Cancel'],
  },
  {
    path: '/webhook',
    heading: 'Webhook',
    texts: ['URL Configuration', 'How deliveries work', 'Webhook Log', 'Search', 'Filters'],
  },
  {
    path: '/api-keys',
    heading: 'API Keys',
    texts: ['Usage example', 'Using your key', 'permanent and do not expire'],
  },
  {
    path: '/team',
    heading: 'Team',
    texts: ['Invite a Person', 'People', 'You', 'Roles', 'Owner', 'Member', 'Viewer'],
  },
  {
    path: '/profile',
    heading: 'Profile Settings',
    texts: ['Personal Information', 'Change Password', 'Business name', 'Email', 'Phone', 'Security', 'Notifications'],
  },
  {
    path: '/profile/security',
    heading: 'Security',
    texts: ['Second factor', 'Passkeys', 'Everything that can get in', 'Remove all but this device'],
  },
  { path: '/second-factor', heading: 'Set up a second factor', texts: ['Authenticator app', 'Passkeys', 'Sign out'] },
  { path: '/profile/notifications', heading: 'Notifications', texts: ['At once', 'Digest', 'Never', 'Time zone'] },
]

export function pathOf({ path }: Screen, records: Records): string {
  return typeof path === 'string' ? path : path(records)
}
