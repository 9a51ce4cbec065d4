/**
 * SQL: whether a person sees payments: an owner, or somebody to whom an owner gave the right (D111). Nobody does while the
 * lender's CRM has none.
 */
export const SEES_MONEY = `((people.role = 'owner' or people.sees_money)
  and exists (select from crm_field_groups where name = 'payments'))`
