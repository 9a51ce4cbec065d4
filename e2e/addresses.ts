/** Where the journeys find the portal and the CRM sandbox: not the ports of a portal that runs beside them. */
export const portalUrl = 'http://127.0.0.1:23410'
export const crmUrl = 'http://127.0.0.1:23910'
