/**
 * The addresses of the portal and the CRM sandbox under test. Their ports are not the defaults, so that another portal
 * can run on the same machine.
 */
// `localhost`, because browsers offer no passkeys for an IP address.
export const portalUrl = 'http://localhost:23410'
export const crmUrl = 'http://127.0.0.1:23910'

/** The addresses of a second portal and sandbox, which tests start and kill. */
export const killedPortalUrl = 'http://127.0.0.1:23411'
export const killedCrmUrl = 'http://127.0.0.1:23911'

/** The addresses of a portal whose partners the lender confirms, and of its sandbox. */
export const approvalPortalUrl = 'http://127.0.0.1:23412'
export const approvalCrmUrl = 'http://127.0.0.1:23912'

/** The addresses of a portal whose partners the lender invites, and of its sandbox. */
export const invitePortalUrl = 'http://127.0.0.1:23413'
export const inviteCrmUrl = 'http://127.0.0.1:23913'

/** The addresses of a portal whose lender's CRM has none of the optional fields, and of its sandbox. */
export const plainPortalUrl = 'http://127.0.0.1:23414'
export const plainCrmUrl = 'http://127.0.0.1:23914'
