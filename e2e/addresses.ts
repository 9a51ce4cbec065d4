/** Where the journeys find the portal and the CRM sandbox: not the ports of a portal that runs beside them. */
// By name: browsers have no passkeys for an address of numbers.
export const portalUrl = 'http://localhost:23410'
export const crmUrl = 'http://127.0.0.1:23910'

/** The product that is started and killed, beside the one above. */
export const killedPortalUrl = 'http://127.0.0.1:23411'
export const killedCrmUrl = 'http://127.0.0.1:23911'
