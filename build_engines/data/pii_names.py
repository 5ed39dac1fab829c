"""Words that no generator brings: real places, honorifics, professions, groups, schools."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

CITIES: Final[Mapping[str, str]] = {
    # The generator's Italian cities come out of a set, in another order in each process.
    "it_IT": "Milano|Torino|Napoli|Bologna|Firenze|Genova|Verona|Palermo|Bari|Catania|Padova|"
    "Trieste|Brescia|Parma|Modena|Perugia|Livorno|Ravenna|Cagliari|Foggia|Rimini|Salerno|Ferrara|Sassari",
    "en": "Seattle|Austin|Chicago|Portland|Boston|Denver|San Diego|Miami|Houston|Phoenix|"
    "Columbus|"
    "Nashville|Detroit|Atlanta|Cleveland|Salt Lake City|New Orleans|Kansas City|St. Louis|Tulsa|"
    "Omaha|Boise|Reno|Fresno|El Paso|Baltimore|Newark|Buffalo|Raleigh|Charlotte|London|Leeds|"
    "Manchester|Bristol|Glasgow|Edinburgh|Cardiff|Belfast|Dublin|Cork|Toronto|Vancouver|Montreal|"
    "Calgary|Sydney|Melbourne|Perth|Auckland|Mumbai|Pune|Bengaluru|Chennai|Lagos|Nairobi|Accra|"
    "Cape Town|Johannesburg|Singapore|Manila|Berlin|Munich|Paris|Lyon|Madrid|Lisbon|Rome|Milan|"
    "Warsaw|Prague|Vienna|Zurich|Oslo|Stockholm|Copenhagen|Helsinki|Athens|Istanbul|Cairo|Dubai|"
    "Riyadh|Tokyo|Osaka|Seoul|Shanghai|Beijing|Hong Kong|Taipei|Bangkok|Hanoi|Jakarta|São Paulo|"
    "Bogotá|Lima|Buenos Aires|Mexico City|Santiago|Kyiv|Bucharest|Sofia|Tallinn|Riga",
    "zh": "北京|上海|广州|深圳|杭州|成都|武汉|南京|西安|重庆|苏州|天津|青岛|厦门|长沙|郑州|"
    "昆明|大连",
    "ar": "الرياض|جدة|القاهرة|الإسكندرية|دبي|أبو ظبي|عمّان|بيروت|بغداد|الدوحة|الكويت|مسقط|تونس|"
    "مكة|الدمام",
}
COUNTRIES: Final[Mapping[str, str]] = {
    "en": "Germany|France|Spain|Italy|Brazil|Mexico|Canada|India|China|Japan|Kenya|Nigeria|Egypt|"
    "Poland|Ukraine|Turkey|Ireland|Scotland|Australia|the Netherlands|Sweden|Norway|Portugal|"
    "the United States|USA|UK|South Korea|Vietnam|Philippines|Pakistan|Morocco|Argentina|Chile",
    "ar": "السعودية|مصر|الأردن|لبنان|العراق|الإمارات|قطر|الكويت|المغرب|تونس|الجزائر|سوريا|"
    "ألمانيا|فرنسا",
    "zh": "中国|美国|日本|德国|法国|英国|加拿大|澳大利亚|新加坡|韩国|意大利|西班牙|印度|巴西",
}
HONORIFICS: Final[Mapping[str, str]] = {
    "en": "Mr.|Mrs.|Ms.|Dr.|Prof.|Miss|Mr|Mrs|Ms|Dr|Professor|Sir|Rev.|Capt.|Judge|Sgt.|Doctor",
    "es": "Sr.|Sra.|Dr.|Dra.|Don|Doña|Srta.|Prof.|señor|señora|Lic.",
    "de": "Herr|Frau|Dr.|Prof. Dr.|Prof.|Herrn|Dr. med.",
    "fr": "M.|Mme|Mlle|Dr|Monsieur|Madame|Docteur|Maître|Pr",
    "zh": "先生|女士|小姐|教授|医生|经理|老师|主任",
    "ja": "様|さん|先生|氏|教授|部長|課長",
    "ar": "السيد|السيدة|الدكتور|الدكتورة|المهندس|الأستاذ|الأستاذة",
}
PROFESSIONS: Final[Mapping[str, str]] = {
    "es": "ingeniero de software|enfermera|contable|directora de ventas|abogado|arquitecta",
    "de": "Softwareentwicklerin|Krankenpfleger|Buchhalterin|Vertriebsleiter|Rechtsanwältin",
    "fr": "ingénieur logiciel|infirmière|comptable|directrice des ventes|avocat|architecte",
    "zh": "软件工程师|护士|会计|销售经理|律师|建筑师|人事主管|财务总监",
    "ja": "ソフトウェアエンジニア|看護師|経理担当|営業部長|弁護士|建築士|人事課長",
    "ar": "مهندس برمجيات|ممرضة|محاسب|مدير المبيعات|محامية|مدير الموارد البشرية",
}
ENGLISH_PROFESSIONS: Final = (
    "software engineer|senior accountant|registered nurse|sales manager|"
    "Head of Marketing|CEO|CFO|"
    "data analyst|HR manager|Vice President of Sales|warehouse supervisor|"
    "project manager|teacher|"
    "electrician|Chief Technology Officer|paralegal|dental assistant|Product Manager|bus driver|"
    "graphic designer|Director of Operations|chef|pharmacist|civil engineer|office manager|COO|"
    "associate professor|customer success lead|account executive|plumber|physiotherapist|QA lead|"
    "executive assistant|Senior Consultant|police officer|research assistant|Treasurer"
)
GROUPS: Final[Mapping[str, str]] = {
    "en": "American|British|Canadian|Mexican|German|French|Spanish|Italian|Polish|Ukrainian|"
    "Turkish|"
    "Egyptian|Nigerian|Kenyan|Indian|Pakistani|Chinese|Japanese|Korean|Vietnamese|"
    "Filipino|Iranian|"
    "Brazilian|Colombian|Moroccan|Syrian|Swedish|Irish|Scottish|Greek|Russian|Somali|Kurdish|"
    "Catholic|Muslim|Jewish|Buddhist|Hindu|Protestant|Sikh|Mormon|Orthodox Christian|atheist|"
    "Republican|Democrat|Conservative|Socialist|Libertarian|Hispanic|Latina|Romani|Cuban|Haitian",
    "es": "española|mexicano|argentina|colombiano|católica|musulmán|judía|francés|alemana|"
    "socialista",
    "de": "deutsch|türkisch|katholisch|muslimisch|evangelisch|polnisch|syrisch|jüdisch|"
    "österreichisch",
    "fr": "française|marocain|catholique|musulmane|juif|belge|algérienne|portugais|socialiste",
    "zh": "中国籍|日本人|美国籍|回族|汉族|藏族|佛教徒|基督徒|穆斯林|韩国人|法国籍",
    "ja": "日本人|中国籍|韓国人|アメリカ国籍|仏教徒|キリスト教徒|ブラジル人|フィリピン国籍",
    "ar": "سعودي|مصرية|أردني|لبنانية|مسلم|مسيحي|سوري|عراقية|تونسي|مغربية",
}
RELIGIONS: Final = "Catholic|Muslim|Jewish|Buddhist|Hindu|Protestant|Sikh|Mormon|Lutheran|Baptist"
PARTIES: Final = "Republican|Democrat|Conservative|Labour|Green|Socialist|Liberal|Libertarian"
CLINICS: Final = (
    "{last} Memorial Hospital|St. {first}'s Clinic|{city} General Hospital|{city} Medical Center|"
    "{last} Family Practice|{city} Children's Hospital|Mercy {city}|{last} Dental Care"
)
SCHOOLS: Final = (
    "{city} High School|University of {city}|{last} Elementary|{city} Community College|"
    "{last} Academy|{city} State University|{last} Institute of Technology"
)
FIRMS: Final = (
    "{last} Logistics|{last} & {last2} LLP|{city} Credit Union|Bank of {city}|{last} Consulting|"
    "{last} Robotics GmbH|{last} Foods Inc.|{last} Capital|{city} Transit Authority|{last} Media|"
    "First {city} Bank|{last}soft|{last} Brothers|{last} Analytics Ltd|{city} Housing Association"
)
KNOWN_FIRMS: Final = (
    "Google|Microsoft|Siemens|Deloitte|Walmart|Pfizer|Toyota|Goldman Sachs|UPS|Unilever|"
    "Accenture|"
    "IBM|Airbus|Barclays|Allianz|Target|Boeing|Samsung|KPMG|Nestlé|HSBC|Oracle|Intel|FedEx|Bosch"
)
ORGANIZATIONS: Final[Mapping[str, str]] = {
    "ar": "شركة النور للتجارة|مستشفى الملك فهد|بنك الراجحي|جامعة القاهرة|شركة أرامكو|"
    "مؤسسة الأمل|شركة الخليج للتأمين",
}
STREETS: Final[Mapping[str, str]] = {
    "zh": "中山路|人民路|解放大道|建国门外大街|南京西路|长江路|文化路|和平街|新华路|朝阳北路",
    "ar": "شارع الملك فهد|شارع التحرير|شارع النيل|شارع الجامعة|طريق الملك عبدالله|شارع الزهراء",
}
ARABIC_NAMES: Final = (
    "محمد|أحمد|خالد|عمر|يوسف|علي|سعيد|فاطمة|مريم|نورة|سارة|ليلى|هدى|عائشة|منى|طارق|حسن|إبراهيم",
    "العتيبي|القحطاني|الشمري|حسين|عبد الله|الحربي|المصري|منصور|خليل|حداد|النجار|الزهراني|"
    "إسماعيل|بركات",
)
LATIN_ARABIC: Final = (
    "Mohammed|Ahmed|Khaled|Omar|Youssef|Ali|Fatima|Mariam|Noura|Sara|Layla|Huda|Aisha|Tariq|Hassan",
    "Al-Otaibi|Hussein|Abdullah|El-Masry|Mansour|Khalil|Haddad|Al-Najjar|Rahman|Siddiqui|bin Saleh",
)
NICKNAMES: Final = (
    "Bob|Liz|Mike|Katie|Tom|Jess|Sam|Alex|Kim|Joe|Nate|Becky|Tony|Maggie|Raj|Priya|Wei|"
    "Yuki|Ngozi|"
    "Olu|Chidi|Zoë|Renée|Siobhán|José|Björn|Łukasz|Thuy|Hye-jin|Kwame|Amara|Svetlana|Dmitri|Anya"
)
TOPS: Final = (
    "com|com|com|org|net|io|co.uk|de|fr|es|info|dev|app|edu|gov|ai|co|biz|me|eu|cn|jp|health"
)
MAIL_HOSTS: Final = (
    "gmail.com|yahoo.com|outlook.com|hotmail.com|icloud.com|proton.me|gmx.de|web.de|"
    "qq.com|163.com|aol.com"
)
