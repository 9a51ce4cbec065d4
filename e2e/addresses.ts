/**
 * Where the journeys find the portal and the CRM sandbox. The ports differ from those of a portal that runs beside
 * them.
 */
// A host name, because browsers offer no passkeys for an IP address.
export const portalUrl = 'http://localhost:23410'
export const crmUrl = 'http://127.0.0.1:23910'

/** A second product beside the one above, which tests start and kill. */
export const killedPortalUrl = 'http://127.0.0.1:23411'
export const killedCrmUrl = 'http://127.0.0.1:23911'
