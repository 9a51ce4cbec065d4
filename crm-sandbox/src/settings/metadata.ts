import type { FastifyInstance } from 'fastify'
import type { Sandbox } from '../sandbox-context.ts'
import { showInstant } from '../wire/times.ts'
import { ApiError, type JsonObject, type Query } from '../wire/wire.ts'
import type { Choice } from './choices.ts'
import { allModules, type Field, findModule, getModule, type Module } from './modules.ts'
import { ORG, USERS, type User } from './people.ts'

type Queried = { Querystring: Query }

/** An organisation's metadata: fields, picklists, layouts, pipeline, modules, related lists, users. */
export function metadataRoutes(app: FastifyInstance, sandbox: Sandbox) {
  app.get<Queried>('/crm/v8/settings/fields', (request) => {
    const module = moduleParam(sandbox, request.query)
    return { fields: module.fields.map((field) => showField(module, field)) }
  })

  app.get<Queried & { Params: { id: string } }>('/crm/v8/settings/fields/:id', (request) => {
    const module = moduleParam(sandbox, request.query)
    return { fields: [showField(module, fieldOf(module, request.params.id))] }
  })

  app.get<Queried & { Params: { id: string } }>('/crm/v8/settings/fields/:id/pick_list_values', (request, reply) => {
    const module = moduleParam(sandbox, request.query)
    const field = fieldOf(module, request.params.id)
    if (!field.choices) return reply.code(204).send()
    const layout_associations = [{ id: module.layoutId, name: 'Standard', api_name: 'Standard' }]
    return {
      pick_list_values: choicesWithNone(field).map(({ display, actual, colour }, index) => ({
        ...showChoice(field, { display, actual, colour }, index),
        layout_associations,
      })),
    }
  })

  app.get<Queried>('/crm/v8/settings/layouts', (request) => ({
    layouts: [showLayout(moduleParam(sandbox, request.query))],
  }))

  app.get<Queried & { Params: { id: string } }>('/crm/v8/settings/layouts/:id', (request) => {
    const module = moduleParam(sandbox, request.query)
    if (request.params.id !== module.layoutId) throw invalidPathId()
    return { layouts: [showLayout(module)] }
  })

  app.get<Queried>('/crm/v8/settings/pipeline', (request) => {
    const layoutId = request.query['layout_id']
    if (!layoutId) throw missing('layout_id')
    if (layoutId !== getModule('Deals').layoutId) {
      throw new ApiError(400, 'INVALID_DATA', { param_name: 'layout_id' }, 'Invalid layoutid')
    }
    return { pipeline: [showPipeline()] }
  })

  app.get('/crm/v8/settings/modules', () => ({ modules: allModules().map(showModule) }))

  app.get<{ Params: { name: string } }>('/crm/v8/settings/modules/:name', (request) => {
    const module = allModules().find((one) => one.name === request.params.name || one.id === request.params.name)
    if (!module) throw invalidModule()
    return { modules: [showModule(module)] }
  })

  app.get<Queried>('/crm/v8/settings/related_lists', (request, reply) => {
    const lists = relatedLists(moduleParam(sandbox, request.query))
    return lists.length === 0 ? reply.code(204).send() : { related_lists: lists }
  })

  app.get<Queried>('/crm/v8/users', (request) => {
    const isMe = request.query['type'] === 'CurrentUser'
    const users = USERS.filter((user) => !isMe || user.profile === 'Administrator').map((user) =>
      showUserDetails(sandbox, user),
    )
    return { users, info: { per_page: 200, count: users.length, page: 1, more_records: false } }
  })

  app.get<{ Params: { id: string } }>('/crm/v8/users/:id', (request) => {
    const user = USERS.find((one) => one.id === request.params.id)
    if (!user) throw invalidPathId()
    return { users: [showUserDetails(sandbox, user)] }
  })

  app.get('/crm/v8/org', () => ({
    org: [
      {
        ...ORG,
        alias: null,
        type: 'production',
        currency_symbol: ORG.currency_symbol,
        mc_status: false,
        license_details: {
          paid: hasFileStorage(sandbox),
          paid_type: hasFileStorage(sandbox) ? 'enterprise' : 'free',
          users_license_purchased: USERS.length,
          portal_users_license_purchased: 0,
        },
      },
    ],
  }))
}

/** The Free edition has no storage for files. */
function hasFileStorage(sandbox: Sandbox): boolean {
  return sandbox.behaviour().fileStorageBytesMax > 0
}

const JSON_TYPES: { [type: string]: string } = {
  currency: 'double',
  percent: 'integer',
  boolean: 'boolean',
  lookup: 'jsonobject',
  ownerlookup: 'jsonobject',
}

function showField(module: Module, field: Field): JsonObject {
  const allowed = !field.readOnly
  return {
    id: field.id,
    api_name: field.apiName,
    field_label: field.label,
    display_label: field.label,
    data_type: field.type,
    json_type: JSON_TYPES[field.type] ?? 'string',
    length: field.length,
    decimal_place: field.type === 'currency' ? 2 : null,
    system_mandatory: field.mandatory,
    custom_field: field.custom,
    read_only: field.readOnly,
    field_read_only: field.readOnly,
    visible: true,
    searchable: true,
    sortable: field.type !== 'textarea',
    filterable: true,
    webhook: true,
    enable_colour_code: field.choices !== undefined,
    pick_list_values_sorted_lexically: false,
    display_field: field.apiName === module.nameField,
    display_type: -1,
    display_format_properties: null,
    ui_type: 1,
    type: 'used',
    created_source: field.custom ? 'crm' : 'default',
    history_tracking_enabled: false,
    history_tracking: null,
    quick_sequence_number: '0',
    mass_update: allowed,
    blueprint_supported: true,
    businesscard_supported: true,
    virtual_field: false,
    separator: false,
    public: true,
    range: null,
    email_parser: { fields_update_supported: allowed, record_operations_supported: allowed },
    multi_module_lookup: {},
    colour_code_enabled_by_system: false,
    additional_column: null,
    association_details: null,
    tooltip: null,
    crypt: null,
    external: null,
    private: null,
    formula: {},
    rollup_summary: {},
    auto_number: {},
    multiselectlookup: {},
    currency: field.type === 'currency' ? { rounding_option: 'normal', precision: 2 } : {},
    unique: field.unique ? { casesensitive: '0' } : {},
    lookup: field.lookup ? showLookup(module, field, field.lookup) : {},
    convert_mapping: module.name === 'Leads' ? showMapping(field) : null,
    operation_type: { web_update: allowed, api_create: allowed, web_create: allowed, api_update: allowed },
    view_type: { view: true, edit: allowed, quick_create: false, create: allowed },
    profiles: [
      { permission_type: allowed ? 'read_write' : 'read_only', name: 'Administrator', id: '5400000000000026011' },
    ],
    pick_list_values: field.choices
      ? choicesWithNone(field).map((choice, index) => showChoice(field, choice, index))
      : [],
  }
}

function showLookup(module: Module, field: Field, target: Module['name']): JsonObject {
  return {
    display_label: module.plural,
    api_name: `${module.name}_of_${field.apiName}`,
    query_details: {},
    module: { api_name: target, id: getModule(target).id },
    id: `${field.id.slice(0, -3)}8${field.id.slice(-2)}`,
    revalidate_filter_during_edit: false,
  }
}

function showMapping(field: Field): JsonObject {
  const { Contacts = null, Deals = null, Accounts = null } = field.convertsTo ?? {}
  return { Contacts, Deals, Accounts }
}

function choicesWithNone(field: Field): Choice[] {
  const none: Choice = { display: '-None-', actual: '-None-', colour: '#ffffff' }
  return field.mandatory ? (field.choices ?? []) : [none, ...(field.choices ?? [])]
}

function showChoice(field: Field, choice: Choice, index: number): JsonObject {
  return {
    id: choiceId(field, index),
    display_value: choice.display,
    actual_value: choice.actual,
    reference_value: choice.actual,
    sequence_number: index + 1,
    colour_code: choice.colour,
    type: 'used',
    ...(choice.forecast
      ? {
          probability: choice.probability ?? 0,
          forecast_type: choice.forecast,
          forecast_category: choice.forecast === 'Open' ? 1 : choice.forecast === 'Closed Won' ? 2 : 3,
        }
      : {}),
  }
}

function choiceId(field: Field, index: number): string {
  return `5400000001${field.id.slice(-6)}${String(index).padStart(3, '0')}`
}

function showPipeline(): JsonObject {
  const stages = getModule('Deals').fields.find((field) => field.apiName === 'Stage')
  return {
    id: '5400000000000340001',
    display_value: 'Standard (Standard)',
    actual_value: 'Standard (Standard)',
    default: true,
    maps: (stages?.choices ?? []).map((choice, index) => ({
      id: stages ? choiceId(stages, index) : null,
      display_value: choice.display,
      actual_value: choice.actual,
      sequence_number: index + 1,
      colour_code: choice.colour,
      forecast_type: choice.forecast ?? 'Open',
      forecast_category: {
        name: choice.forecast === 'Open' ? 'Pipeline' : choice.forecast === 'Closed Won' ? 'Closed' : 'Omitted',
        id: '5400000000000005901',
      },
    })),
  }
}

function showLayout(module: Module): JsonObject {
  return {
    id: module.layoutId,
    name: 'Standard',
    api_name: 'Standard',
    display_label: 'Standard',
    status: 'active',
    visible: true,
    source: 'standard',
    generated_type: 'default',
    created_for: null,
    created_by: null,
    created_time: null,
    modified_by: null,
    modified_time: null,
    profiles: [{ id: '5400000000000026011', name: 'Administrator', default: true }],
    sections: [
      {
        id: `${module.layoutId.slice(0, -1)}1`,
        name: `${module.singular} Information`,
        api_name: `${module.singular}_Information`,
        display_label: `${module.singular} Information`,
        type: 'used',
        sequence_number: 1,
        column_count: 2,
        tab_traversal: 2,
        isSubformSection: false,
        generated_type: 'default',
        fields: module.fields.map((field, index) => ({
          id: field.id,
          api_name: field.apiName,
          field_label: field.label,
          data_type: field.type,
          length: field.length,
          required: field.mandatory || field.layoutMandatory,
          read_only: field.readOnly,
          sequence_number: index + 1,
          pick_list_values: field.choices
            ? choicesWithNone(field).map((choice, position) => showChoice(field, choice, position))
            : [],
        })),
      },
    ],
  }
}

function showModule(module: Module, index = 0): JsonObject {
  return {
    id: module.id,
    api_name: module.name,
    module_name: module.name,
    singular_label: module.singular,
    plural_label: module.plural,
    generated_type: module.custom ? 'custom' : 'default',
    api_supported: true,
    creatable: true,
    editable: true,
    deletable: true,
    viewable: true,
    convertable: module.name === 'Leads',
    global_search_supported: true,
    public_fields_configured: false,
    recycle_bin_on_delete: true,
    has_more_profiles: false,
    sub_menu_available: false,
    profile_count: 1,
    show_as_tab: module.name !== 'Notes',
    status: 'visible',
    sequence_number: index + 1,
    modified_time: null,
    modified_by: null,
    profiles: [{ id: '5400000000000026011', name: 'Administrator' }],
    parent_module: {},
    web_link: null,
    arguments: [],
    description: null,
  }
}

function relatedLists(module: Module): JsonObject[] {
  if (module.name === 'Notes' || module.name === 'Tasks') return []
  const notes = getModule('Notes')
  const tasks = getModule('Tasks')
  const list = (api_name: string, label: string, target: JsonObject | null, sequence: number) => ({
    id: `${module.id.slice(0, -3)}95${sequence}`,
    api_name,
    name: label,
    display_label: label,
    module: target,
    href: `${module.name}/{ENTITYID}/${api_name}`,
    sequence_number: String(sequence),
    type: 'default',
    status: 'visible',
    customize_sort: false,
    customize_fields: false,
    customize_display_label: false,
    action: null,
    connectedmodule: null,
    linkingmodule: null,
  })
  const lists = [list('Notes', 'Notes', { api_name: notes.name, id: notes.id }, 1)]
  if (module.name === 'Deals') lists.push(list('Stage_History', 'Stage History', null, 2))
  lists.push(list('Tasks', 'Open Activities', { api_name: tasks.name, id: tasks.id }, 3))
  return lists
}

function showUserDetails(sandbox: Sandbox, user: User): JsonObject {
  const [first = '', ...rest] = user.name.split(' ')
  const created = showInstant('2025-01-06T00:00:00Z', sandbox.behaviour().timesOffset)
  return {
    id: user.id,
    email: user.email,
    full_name: user.name,
    first_name: first,
    last_name: rest.join(' '),
    status: 'active',
    confirm: true,
    zuid: user.id.slice(-8),
    role: { name: user.role, id: '5400000000000026005' },
    profile: { name: user.profile, id: '5400000000000026011' },
    time_zone: ORG.time_zone,
    country_locale: 'en_AU',
    locale: 'en_GB',
    language: 'en_US',
    date_format: 'yyyy-MM-dd',
    time_format: 'HH:mm',
    offset: null,
    created_time: created,
    Modified_Time: created,
    microsoft: false,
    personal_account: false,
  }
}

function moduleParam(sandbox: Sandbox, query: Query): Module {
  const name = query['module']
  if (!name) throw missing('module')
  const module = findModule(name)
  if (!module) throw invalidModule()
  return sandbox.fields.of(module)
}

function fieldOf(module: Module, id: string): Field {
  const field = module.fields.find((one) => one.id === id || one.apiName === id)
  if (!field) throw invalidPathId()
  return field
}

function missing(name: string): ApiError {
  return new ApiError(400, 'REQUIRED_PARAM_MISSING', { param_name: name }, 'One of the expected parameter is missing')
}

function invalidModule(): ApiError {
  return new ApiError(400, 'INVALID_MODULE', { param_name: 'module' }, 'the module name given seems to be invalid')
}

function invalidPathId(): ApiError {
  return new ApiError(400, 'INVALID_DATA', { resource_path_index: 2 }, 'the id given seems to be invalid')
}
