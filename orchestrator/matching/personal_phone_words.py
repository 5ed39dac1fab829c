"""Words that say of a number that it is that of a telephone, or that it is something else."""

from __future__ import annotations

from typing import Final

# A word that announces a number. Those of the first row need no more than enough digits.
NOUN: Final = (
    rb"\b(?:tele?(?:ph|f)ono?e?s?|phones?|tel|ph|mob|mobile|cell(?:phone| phone)?|fax|whatsapp|"
    rb"handy\w*|rufnummer|portable|celular|m.vil|t.l.phones?|tel.fonos?|mobil\w*|numbers?)\b"
)
VERB: Final = (
    rb"\b(?:call(?:s|ed|ing)?|text(?:ed)?|sms|dial|ring|reach\w*|caller(?: id)?|contact|reply)\b|"
    rb"(?m:^)[tmpf]\b"  # of a signature
)
# The same in other scripts, as they are written.
SCRIPTS: Final = (
    *("电话", "手机", "号码", "微信", "联系方式", "電話", "手機", "號碼", "携帯"),
    *("전화", "연락처", "휴대폰", "핸드폰"),
    *("هاتف", "جوال", "موبايل", "تليفون", "واتساب", "رقمي", "تلفن", "موبایل", "شماره"),
    *("телефон", "Телефон", "тел.", "Тел.", "моб.", "звоните", "τηλέφωνο", "κινητό"),
    *("फ़ोन", "फोन", "मोबाइल", "नंबर", "ফোন", "মোবাইল", "โทร", "มือถือ", "เบอร์", "טלפון", "נייד"),
)
# Right before such a word, or before a number: of an order, an account, a card.
SCRIPTS_OTHERWISE: Final = (
    *("订单", "訂單", "单号", "编号", "账号", "卡号", "快递", "発注", "注文", "주문"),
    *("заказ", "Заказ", "счет", "счёт", "الطلب", "الحساب", "ऑर्डर", "खाता"),
)
# Words that say what else a number is, between the word and it or just before the word.
OTHERWISE: Final = (
    rb"(?:order|invoice|ticket|case\b|account|\bref|\bid\b|serial|#|\$|\broom|\bpin\b|licen[cs]e|"
    rb"\bdl\b|tracking|policy|routing|model|\bpart\b|\bzip\b|ssn|social|version|passport)"
)
