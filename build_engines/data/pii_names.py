"""Words that no generator brings: hosts of machines and mail, Arabic names in Latin letters."""

from __future__ import annotations

from typing import Final

LATIN_ARABIC: Final = (
    "Mohammed|Ahmed|Khaled|Omar|Youssef|Ali|Fatima|Mariam|Noura|Sara|Layla|Huda|Aisha|Tariq|Hassan",
    "Al-Otaibi|Hussein|Abdullah|El-Masry|Mansour|Khalil|Haddad|Al-Najjar|Rahman|Siddiqui|bin Saleh",
)
TOPS: Final = (
    "com|com|com|com|com|org|org|net|net|io|co.uk|org.uk|ac.uk|gov.uk|de|de|fr|es|it|nl|pl|se|ch|at|"
    "info|dev|app|edu|gov|ai|co|biz|me|eu|us|ca|com.au|co.nz|in|co.in|ie|co.za|com.br|mx|com.mx|"
    "cn|jp|co.jp|kr|ng|ke|tech|cloud|shop|store|online|site|xyz|health|bank|law|agency|studio|care"
)
SUBDOMAINS: Final = (
    "www|www|www|www|www|mail|portal|api|blog|shop|app|login|secure|my|dev|staging|cdn|static|docs|"
    "support|help|jobs|careers|intranet|vpn|smtp|imap|mx1|ns1|ns2|db01|web-03|api.eu|git|wiki|status|"
    "payments|billing|hr|m|news|forum|auth|files|img|test|beta|crm|files.internal|node7.prod"
)
KNOWN_HOSTS: Final = (
    "google.com|www.amazon.de|en.wikipedia.org|github.com|linkedin.com|www.facebook.com|youtube.com|"
    "drive.google.com|docs.google.com|t.co|bit.ly|api.github.com|login.microsoftonline.com|nytimes.com|"
    "bbc.co.uk|www.gov.uk|irs.gov|ebay.com|paypal.com|chase.com|dropbox.com|zoom.us|airbnb.com|"
    "booking.com|calendly.com|instagram.com|x.com|reddit.com|stackoverflow.com|medium.com|etsy.com"
)
MAIL_HOSTS: Final = (
    "gmail.com|gmail.com|yahoo.com|outlook.com|hotmail.com|icloud.com|proton.me|gmx.de|web.de|qq.com|"
    "163.com|aol.com|live.com|msn.com|yahoo.co.uk|btinternet.com|comcast.net|googlemail.com|orange.fr|"
    "libero.it|mail.ru|yandex.com|naver.com|rediffmail.com|ymail.com|fastmail.com|me.com|zoho.com"
)
MAILBOXES: Final = (
    "info|sales|support|billing|hr|jobs|admin|office|contact|hello|no-reply|accounts|reception|press|"
    "help|service|team|orders|kundenservice|secretary|bookings|privacy|webmaster|it"
)
