"""The words the synthetic population is made of: districts and postcode areas by region, names, categories.

Districts are the 318 local authority districts of England and Wales as of April 2023 under their everyday names, in
the ten ITL 1 regions that hold them. Source: Office for National Statistics, Open Government Licence v3.0.
"""

from __future__ import annotations


def _list(text: str) -> tuple[str, ...]:
    return tuple(" ".join(word.split()) for word in text.split(","))


DISTRICTS: dict[str, tuple[str, ...]] = {
    "East Midlands": _list("""
        Amber Valley, Ashfield, Bassetlaw, Blaby, Bolsover, Boston, Broxtowe, Charnwood, Chesterfield, Derby,
        Derbyshire Dales, East Lindsey, Erewash, Gedling, Harborough, High Peak, Hinckley and Bosworth, Leicester,
        Lincoln, Mansfield, Melton, Newark and Sherwood, North East Derbyshire, North Kesteven,
        North Northamptonshire, North West Leicestershire, Nottingham, Oadby and Wigston, Rushcliffe, Rutland,
        South Derbyshire, South Holland, South Kesteven, West Lindsey, West Northamptonshire"""),
    "East of England": _list("""
        Babergh, Basildon, Bedford, Braintree, Breckland, Brentwood, Broadland, Broxbourne, Cambridge, Castle Point,
        Central Bedfordshire, Chelmsford, Colchester, Dacorum, East Cambridgeshire, East Hertfordshire, East Suffolk,
        Epping Forest, Fenland, Great Yarmouth, Harlow, Hertsmere, Huntingdonshire, Ipswich,
        King's Lynn and West Norfolk, Luton, Maldon, Mid Suffolk, North Hertfordshire, North Norfolk, Norwich,
        Peterborough, Rochford, South Cambridgeshire, South Norfolk, Southend-on-Sea, St Albans, Stevenage, Tendring,
        Three Rivers, Thurrock, Uttlesford, Watford, Welwyn Hatfield, West Suffolk"""),
    "London": _list("""
        Barking and Dagenham, Barnet, Bexley, Brent, Bromley, Camden, City of London, Croydon, Ealing, Enfield,
        Greenwich, Hackney, Hammersmith and Fulham, Haringey, Harrow, Havering, Hillingdon, Hounslow, Islington,
        Kensington and Chelsea, Kingston upon Thames, Lambeth, Lewisham, Merton, Newham, Redbridge,
        Richmond upon Thames, Southwark, Sutton, Tower Hamlets, Waltham Forest, Wandsworth, Westminster"""),
    "North East": _list("""
        County Durham, Darlington, Gateshead, Hartlepool, Middlesbrough, Newcastle upon Tyne, North Tyneside,
        Northumberland, Redcar and Cleveland, South Tyneside, Stockton-on-Tees, Sunderland"""),
    "North West": _list("""
        Blackburn with Darwen, Blackpool, Bolton, Burnley, Bury, Cheshire East, Cheshire West and Chester, Chorley,
        Cumberland, Fylde, Halton, Hyndburn, Knowsley, Lancaster, Liverpool, Manchester, Oldham, Pendle, Preston,
        Ribble Valley, Rochdale, Rossendale, Salford, Sefton, South Ribble, St Helens, Stockport, Tameside, Trafford,
        Warrington, West Lancashire, Westmorland and Furness, Wigan, Wirral, Wyre"""),
    "South East": _list("""
        Adur, Arun, Ashford, Basingstoke and Deane, Bracknell Forest, Brighton and Hove, Buckinghamshire, Canterbury,
        Cherwell, Chichester, Crawley, Dartford, Dover, East Hampshire, Eastbourne, Eastleigh, Elmbridge,
        Epsom and Ewell, Fareham, Folkestone and Hythe, Gosport, Gravesham, Guildford, Hart, Hastings, Havant, Horsham,
        Isle of Wight, Lewes, Maidstone, Medway, Mid Sussex, Milton Keynes, Mole Valley, New Forest, Oxford,
        Portsmouth, Reading, Reigate and Banstead, Rother, Runnymede, Rushmoor, Sevenoaks, Slough, South Oxfordshire,
        Southampton, Spelthorne, Surrey Heath, Swale, Tandridge, Test Valley, Thanet, Tonbridge and Malling,
        Tunbridge Wells, Vale of White Horse, Waverley, Wealden, West Berkshire, West Oxfordshire, Winchester,
        Windsor and Maidenhead, Woking, Wokingham, Worthing"""),
    "South West": _list("""
        Bath and North East Somerset, Bournemouth Christchurch and Poole, Bristol, Cheltenham, Cornwall, Cotswold,
        Dorset, East Devon, Exeter, Forest of Dean, Gloucester, Isles of Scilly, Mid Devon, North Devon,
        North Somerset, Plymouth, Somerset, South Gloucestershire, South Hams, Stroud, Swindon, Teignbridge,
        Tewkesbury, Torbay, Torridge, West Devon, Wiltshire"""),
    "Wales": _list("""
        Blaenau Gwent, Bridgend, Caerphilly, Cardiff, Carmarthenshire, Ceredigion, Conwy, Denbighshire, Flintshire,
        Gwynedd, Isle of Anglesey, Merthyr Tydfil, Monmouthshire, Neath Port Talbot, Newport, Pembrokeshire, Powys,
        Rhondda Cynon Taf, Swansea, Torfaen, Vale of Glamorgan, Wrexham"""),
    "West Midlands": _list("""
        Birmingham, Bromsgrove, Cannock Chase, Coventry, Dudley, East Staffordshire, Herefordshire, Lichfield,
        Malvern Hills, Newcastle-under-Lyme, North Warwickshire, Nuneaton and Bedworth, Redditch, Rugby, Sandwell,
        Shropshire, Solihull, South Staffordshire, Stafford, Staffordshire Moorlands, Stoke-on-Trent,
        Stratford-on-Avon, Tamworth, Telford and Wrekin, Walsall, Warwick, Wolverhampton, Worcester, Wychavon,
        Wyre Forest"""),
    "Yorkshire and the Humber": _list("""
        Barnsley, Bradford, Calderdale, Doncaster, East Riding of Yorkshire, Kingston upon Hull, Kirklees, Leeds,
        North East Lincolnshire, North Lincolnshire, North Yorkshire, Rotherham, Sheffield, Wakefield, York"""),
}

POSTCODE_AREAS: dict[str, tuple[str, ...]] = {
    "East Midlands": ("DE", "LE", "LN", "NG", "NN"),
    "East of England": ("AL", "CB", "CM", "CO", "IP", "LU", "NR", "PE", "SG", "SS"),
    "London": ("BR", "CR", "E", "EN", "HA", "N", "NW", "SE", "SW", "W"),
    "North East": ("DH", "DL", "NE", "SR", "TS"),
    "North West": ("BB", "BL", "CA", "CH", "L", "LA", "M", "OL", "PR", "WA"),
    "South East": ("BN", "CT", "GU", "HP", "ME", "MK", "OX", "PO", "RG", "RH", "SO", "TN"),
    "South West": ("BA", "BH", "BS", "DT", "EX", "GL", "PL", "SN", "TA", "TR"),
    "Wales": ("CF", "LD", "LL", "NP", "SA"),
    "West Midlands": ("B", "CV", "DY", "HR", "ST", "WR", "WS", "WV"),
    "Yorkshire and the Humber": ("BD", "DN", "HD", "HU", "HX", "LS", "S", "WF", "YO"),
}

WOMEN = _list("""
    Abigail, Aisha, Alice, Amelia, Amy, Angela, Anna, Anwen, Barbara, Bethan, Bridget, Carol, Catherine, Charlotte,
    Chloe, Clara, Daisy, Deborah, Diana, Dorothy, Eleanor, Elizabeth, Ella, Emily, Emma, Esther, Evie, Fatima, Fiona,
    Florence, Freya, Gemma, Grace, Gwen, Hannah, Harriet, Heather, Helen, Imogen, Iris, Isla, Jane, Janet, Jasmine,
    Joan, Judith, Julie, Karen, Kelly, Laura, Leah, Linda, Lucy, Margaret, Maria, Mary, Megan, Mia, Miriam, Nadia,
    Naomi, Nicola, Olivia, Patricia, Pauline, Phoebe, Priya, Rachel, Rebecca, Rosie, Ruth, Samantha, Sarah, Shanice,
    Sheila, Sophie, Susan, Tamsin, Tracey, Valerie, Victoria, Wendy, Yasmin, Zoe""")

MEN = _list("""
    Aaron, Adam, Adrian, Alan, Albert, Alexander, Alfie, Andrew, Anthony, Archie, Arjun, Arthur, Barry, Benjamin,
    Brian, Callum, Charles, Christopher, Colin, Daniel, David, Dean, Dennis, Derek, Donald, Dylan, Edward, Ethan,
    Finley, Francis, Frank, Gareth, Gary, Geoffrey, George, Graham, Harry, Henry, Howard, Hugh, Ian, Imran, Isaac,
    Ivor, Jack, Jacob, James, Jason, John, Joseph, Joshua, Keith, Kenneth, Kevin, Kwame, Lee, Leo, Lewis, Liam, Louis,
    Luke, Mark, Martin, Matthew, Michael, Mohammed, Neil, Nigel, Noah, Oliver, Omar, Oscar, Owen, Patrick, Paul,
    Peter, Philip, Raymond, Rhys, Robert, Samuel, Simon, Thomas, William""")

SURNAMES = _list("""
    Adams, Ahmed, Ali, Allen, Anderson, Andrews, Armstrong, Atkinson, Bailey, Baker, Barker, Barnes, Begum, Bell,
    Bennett, Booth, Bradley, Brooks, Brown, Burton, Butler, Campbell, Carter, Chambers, Chapman, Clarke, Cole, Collins,
    Cook, Cooper, Cox, Davies, Davis, Dawson, Dean, Dixon, Edwards, Ellis, Evans, Fisher, Fletcher, Foster, Fox,
    Gibson, Gill, Gordon, Graham, Grant, Gray, Green, Griffiths, Hall, Hamilton, Harris, Harrison, Hart, Harvey,
    Henderson, Hill, Holmes, Hudson, Hughes, Hunt, Hunter, Hussain, Jackson, James, Jenkins, Johnson, Johnston, Jones,
    Kaur, Kelly, Kennedy, Khan, King, Knight, Lawrence, Lee, Lewis, Lloyd, Macdonald, Marshall, Martin, Mason,
    Matthews, Mills, Mitchell, Moore, Morgan, Morris, Murphy, Murray, Owen, Palmer, Parker, Patel, Pearson, Phillips,
    Porter, Powell, Price, Reid, Reynolds, Richards, Richardson, Roberts, Robinson, Rogers, Rose, Russell, Ryan,
    Saunders, Scott, Shah, Shaw, Simpson, Singh, Smith, Spencer, Stevens, Stewart, Stone, Taylor, Thomas, Thompson,
    Turner, Walker, Walsh, Ward, Watson, Watts, Webb, West, White, Wilkinson, Williams, Wilson, Wood, Wright, Young""")

GENDER = ("female", "male")
MARITAL = ("single", "married", "civil partnership", "separated", "divorced", "widowed")
QUALIFICATIONS = ("none", "level 1", "level 2", "level 3", "apprenticeship", "bachelor", "postgraduate")
OCCUPATION = _list("""
    managers, professional, associate professional, administrative, skilled trades, caring and leisure, sales,
    machine operatives, elementary, none""")
