/** The applicants of the demo: invented businesses, example domains, and phone numbers reserved for fiction. */
export type DemoLead = {
  company: string
  firstName: string
  lastName: string
  domain: string
  phone: string
  state: string | null
  iso: 'AU' | 'NZ'
  industry: string
  loanType: string
  purpose: string
  amount: number
  term: string
}

const TABLE = `
Coastal Joinery Co|Priya|Nair|coastaljoinery|+61491570006|NSW|Construction|Equipment Financing|CNC router and dust extraction|85000|36 months
Ironbark Haulage|Tom|Beckett|ironbarkhaulage|+61491570156|QLD|Transportation|Equipment Financing|Second prime mover|210000|60 months
Paddock to Plate Catering|Elise|Romano|paddocktoplate|+61491570157|VIC|Food & Beverage|Working Capital|Stock and staff for the wedding season|45000|12 months
Bright Smile Dental Group|Anita|Chowdhury|brightsmiledental|+61255501204|NSW|Healthcare|Term Loan|Fit-out of a third surgery|320000|60 months
Kererū Landscapes|Hemi|Parata|kererulandscapes|+6495550134|NULL|Construction|Line of Credit|Materials between progress payments|60000|18 months
Southbank Panel & Paint|Darren|Kowalski|southbankpanel|+61355501877|VIC|Automotive|Equipment Financing|Spray booth|130000|36 months
Mallee Grain Services|Ruth|Schultz|malleegrain|+61855501442|SA|Agriculture|Asset Based Lending|Field bins ahead of harvest|275000|24 months
Reef & Range Tours|Jacinta|Moore|reefandrange|+61755501018|QLD|Hospitality|Merchant Cash Advance|Bridging the wet season|38000|6 months
Copper Kettle Brewing|Angus|Drummond|copperkettle|+61491570158|TAS|Food & Beverage|Equipment Financing|Canning line|145000|36 months
Lumen Electrical Contractors|Sophie|Tran|lumenelectrical|+61255501963|ACT|Construction|Invoice Factoring|Ninety-day terms with a builder|90000|12 months
Harakeke Childcare Centre|Mere|Ngata|harakekechildcare|+6435550178|NULL|Education|Term Loan|Outdoor area and a new room|110000|36 months
Westgate Pharmacy|Omar|Haddad|westgatepharmacy|+61855501330|WA|Healthcare|Working Capital|Dispensary robot deposit|70000|24 months
Bluewren Florist|Kate|Ellison|bluewrenflorist|+61491570159|NSW|Retail|Line of Credit|Mother’s Day stock|15000|3 months
Tradewind Refrigeration|Marco|Silva|tradewindrefrig|+61755501227|NT|Energy|Equipment Financing|Two service vans|96000|36 months
Granite Belt Cellars|Helen|McAllister|granitebeltcellars|+61755501561|QLD|Agriculture|Commercial Real Estate|Cellar door extension|480000|60 months
Northshore Physio|Ben|Whitford|northshorephysio|+61255501455|NSW|Healthcare|Term Loan|Buying out a partner|165000|60 months
Pixel Foundry|Yasmin|Osman|pixelfoundry|+61491570110|VIC|Information Technology|Working Capital|Payroll before a government milestone|55000|6 months
Tasman Cold Storage|Graeme|Holt|tasmancold|+61355501092|TAS|Transportation|Commercial Real Estate|Warehouse purchase|950000|60 months
Waratah Cleaning Services|Lin|Zhao|waratahcleaning|+61255501777|NSW|Other|Invoice Factoring|Growing into two hospital contracts|80000|12 months
Kauri Point Motors|Dave|Sinclair|kauripointmotors|+6475550149|NULL|Automotive|Line of Credit|Used-car floor stock|120000|18 months
Sandstone Legal|Imogen|Clarke|sandstonelegal|+61255501618|NSW|Legal|Term Loan|Office move|75000|24 months
Goldfields Drilling Supplies|Pete|Vukovic|goldfieldsdrilling|+61855501909|WA|Energy|Asset Based Lending|Inventory for a mine shutdown|390000|24 months
Little Lantern Bakery|Thi|Pham|littlelantern|+61355501501|VIC|Food & Beverage|Equipment Financing|Deck oven and prover|42000|36 months
Riverbend Plumbing|Scott|Harvey|riverbendplumbing|+61755501380|QLD|Construction|Working Capital|BAS and super catch-up|35000|12 months
Vista Property Styling|Georgia|Pappas|vistastyling|+61355501733|VIC|Real Estate|Term Loan|Furniture for twelve more homes|65000|24 months
Outback Solar & Battery|Nathan|Briggs|outbacksolar|+61855501246|SA|Energy|Line of Credit|Panels ahead of rebates|150000|18 months
Takahē Print & Sign|Aroha|Wiremu|takaheprint|+6445550163|NULL|Manufacturing|Equipment Financing|Wide-format printer|58000|36 months
Seabreeze Motel|Linda|Grech|seabreezemotel|+61255501852|NSW|Hospitality|Commercial Real Estate|Refinance and refurbish|620000|60 months
Precision Gear Cutting|Stefan|Richter|precisiongear|+61355501266|VIC|Manufacturing|Equipment Financing|Five-axis mill|410000|60 months
Happy Paws Grooming|Chloe|Bennett|happypaws|+61755501694|QLD|Retail|Merchant Cash Advance|Second mobile van|22000|12 months
Capital Scaffolding|Joe|Falzon|capitalscaffolding|+61255501139|ACT|Construction|Asset Based Lending|More scaffold for a tower job|240000|36 months
Murray River Nurseries|Fiona|Aitken|murraynurseries|+61855501575|SA|Agriculture|Working Capital|Spring planting|50000|12 months
Eastside Early Learning|Grace|Mbeki|eastsideearly|+61755501448|QLD|Education|Term Loan|Licence for twenty more places|185000|36 months
Anchor Marine Repairs|Luke|Sorensen|anchormarine|+61855501823|WA|Transportation|Equipment Financing|Travel lift|260000|60 months
Fernleaf Accounting|Craig|Donaldson|fernleaf|+6495550171|NULL|Finance|Term Loan|Buying a client list|140000|36 months
Desert Rose Freight|Amina|Yusuf|desertrosefreight|+61855501365|NT|Transportation|Invoice Factoring|Fuel before payment|115000|12 months
Old Mill Furniture|Patrick|Doyle|oldmillfurniture|+61355501918|VIC|Manufacturing|Line of Credit|Timber in bulk|70000|18 months
Sunrise Strawberry Farm|Mai|Nguyen|sunrisestrawberry|+61755501102|QLD|Agriculture|Equipment Financing|Packing line|155000|36 months
Highline Fitness|Jordan|Pike|highlinefitness|+61255501540|NSW|Healthcare|Equipment Financing|Refit of two studios|88000|24 months
Bayside Commercial Kitchens|Nick|Stavros|baysidekitchens|+61355501659|VIC|Manufacturing|Working Capital|Deposit on stainless steel|62000|12 months
Torquay Surf Co|Ella|Marsh|torquaysurf|+61355501284|VIC|Retail|Line of Credit|Summer range|48000|12 months
Aurora Vet Clinic|Simon|Lockyer|auroravet|+61355501047|TAS|Healthcare|Term Loan|X-ray and theatre|175000|60 months
Redgum Timber Yard|Bev|Costello|redgumtimber|+61255501321|NSW|Retail|Asset Based Lending|Stock against a forklift fleet|205000|24 months
Metro Courier Partners|Ravi|Menon|metrocourier|+61255501496|NSW|Transportation|Merchant Cash Advance|Ten e-bikes|30000|6 months
Pōhutukawa Cafe Group|Tina|Faleolo|pohutukawacafe|+6495550186|NULL|Hospitality|Term Loan|Fourth cafe|195000|36 months
Clearview Glass & Glazing|Adam|Novak|clearviewglass|+61855501710|SA|Construction|Equipment Financing|Glass-handling crane truck|230000|60 months
Stonefruit Orchards|Maria|Conti|stonefruit|+61355501405|VIC|Agriculture|Line of Credit|Pickers before the cheque comes|95000|12 months
Bluestone Data Centres|Hugo|Bennet|bluestonedata|+61355501972|VIC|Information Technology|Equipment Financing|Racks and cooling|540000|60 months
Gumnut Toys|Wendy|Armitage|gumnuttoys|+61255501087|NSW|Retail|Working Capital|Christmas orders|27000|6 months
`

export const DEMO_LEADS: readonly DemoLead[] = TABLE.trim()
  .split('\n')
  .map((line) => {
    const [company = '', firstName = '', lastName = '', domain = '', phone = '', state, industry = '', ...loan] =
      line.split('|')
    const [loanType = '', purpose = '', amount, term = ''] = loan
    return {
      company,
      firstName,
      lastName,
      domain: `${domain}.example`,
      phone,
      state: state === 'NULL' || state === undefined ? null : state,
      iso: phone.startsWith('+64') ? 'NZ' : 'AU',
      industry,
      loanType,
      purpose,
      amount: Number(amount),
      term,
    }
  })
