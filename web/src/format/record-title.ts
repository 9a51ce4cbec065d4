export function leadTitle(lead: { business_name: string | null; lead_name: string | null; loid: string }): string {
  return lead.business_name ?? lead.lead_name ?? lead.loid
}

export function dealTitle(deal: { deal_name: string | null; business_name: string | null; loid: string }): string {
  return deal.deal_name ?? deal.business_name ?? deal.loid
}
