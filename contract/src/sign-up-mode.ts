/**
 * Who may become a partner (D116): everybody; everybody, but the lender confirms each partner; or those that the lender
 * invites.
 */
export const SIGN_UP_MODES = ['open', 'approval', 'invite'] as const

export type SignUpMode = (typeof SIGN_UP_MODES)[number]

export const ASK_FOR_INVITATION = 'Ask your lender for an invitation'
