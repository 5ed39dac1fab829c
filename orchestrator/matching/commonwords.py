"""A few of the most frequent words of languages that share a script: question words, articles,
pronouns, greetings, and the verbs that prompts begin with. Case folded, composed (NFC).
"""

LISTS = {
    "en": """
        a the is are was what why how who where when which do does did can could would
        should please write explain tell give show make me my you your i we they he she it
        this that with for of to and not as at by in on or if but so have has best thanks
        thank hello hi help best good morning about between from""",
    "es": """
        el la los las un una es son qué que cómo cuál quién dónde cuándo cuánto por para con
        hola gracias buenos buenas días tardes favor ayuda necesito quiero puedo escribe
        explica dime estás está cuesta mi tu su del al y pero más muy esto esta este""",
    "fr": """
        le la les un une des est sont que quoi comment quel quelle qui où quand combien
        pourquoi pour avec dans bonjour bonsoir salut merci beaucoup plaît vous je nous
        tu il elle ça va écris explique peux aide besoin mon ma mes votre du au et
        mais plus très ce cette""",
    "de": """
        der die das ein eine ist sind was wie wer wo wann warum welche für mit und nicht ich
        du wir sie es mein dein ihr danke vielen bitte hallo guten morgen tag schreibe
        erkläre kannst können hilfe brauche möchte geht auf von zu im den dem des aber""",
    "it": """
        il lo la i gli le un una è sono che cosa come qual quale chi dove quando quanto
        perché per con ciao grazie mille buongiorno buonasera favore aiuto ho bisogno vorrei
        scrivi spiega stai sta mio tuo del della di e non più molto questo questa""",
    "pt": """
        o a os as um uma é são que como qual quem onde quando quanto por para com olá oi
        obrigado obrigada bom boa dia tarde noite favor ajuda preciso quero posso escreva
        explique você está meu minha do da dos das não mais muito isso esta este cancelar
        pedido""",
    "nl": """
        de het een is zijn wat hoe wie waar wanneer waarom welke voor met en niet ik jij je
        we mijn jouw dank bedankt alsjeblieft hallo goedemorgen goedemiddag schrijf leg uit
        kun kan hulp nodig wil wel gaat van naar maar""",
    "pl": """
        jest są co jak kto gdzie kiedy dlaczego jaki jaka jakie dla z i nie ja ty my mój
        twój dziękuję proszę cześć dzień dobry napisz wyjaśnij możesz pomoc potrzebuję chcę
        się na do""",
    "sv": """
        är vad hur vem var när varför vilken för med och inte jag du vi min din tack snälla
        hej god morgon skriv förklara kan hjälp behöver vill en ett det som på till""",
    "da": """
        er hvad hvordan hvem hvor hvornår hvorfor hvilken for med og ikke jeg du vi min din
        tak venligst hej god morgen skriv forklar kan hjælp brug vil en et det som på til""",
    "no": """
        er hva hvordan hvem hvor når hvorfor hvilken for med og ikke jeg du vi min din takk
        vennligst hei god morgen skriv forklar kan hjelp trenger vil en et det som på til""",
    "fi": """
        on ovat mikä mitä miten kuka missä milloin miksi ja ei minä sinä me kiitos ole hyvä
        hei moi huomenta kirjoita selitä voitko apua tarvitsen haluan""",
    "cs": """
        je jsou co jak kdo kde kdy proč jaký jaká jaké pro s a ne já ty my můj tvůj děkuji
        prosím ahoj dobrý den napiš vysvětli můžeš pomoc potřebuji chci se na do""",
    "ro": """
        este sunt ce cum cine unde când de pentru cu și nu eu tu noi meu tău mulțumesc vă
        rog salut bună ziua dimineața scrie explică poți ajutor vreau care""",
    "hu": """
        van mi mit hogyan ki hol mikor miért melyik egy az és nem én te köszönöm kérem szia
        jó reggelt napot írj magyarázd tudsz segítség kell szeretnék""",
    "tr": """
        bir ve bu ne nasıl kim nerede neden hangi için ile değil ben sen biz teşekkürler
        lütfen merhaba günaydın yaz açıkla misin yardım istiyorum nasılsın mı mi var""",
    "id": """
        apa bagaimana siapa di mana kapan mengapa kenapa yang untuk dengan dan tidak saya
        kamu anda kami terima kasih tolong halo selamat pagi siang tulis jelaskan bisa
        bantuan ingin ibu kota ini itu adalah""",
    "vi": """
        là gì như thế nào ai ở đâu khi sao của cho với và không tôi bạn cảm ơn xin chào vui
        lòng hãy viết giải thích có thể giúp muốn một các""",
    "ru": """
        что как кто где когда почему какой какая какие для с и не я ты мы мой твой спасибо
        пожалуйста привет здравствуйте доброе утро напиши объясни можешь помощь помоги нужно
        хочу это на из у""",
    "uk": """
        що як хто де коли чому який яка які для з і й не я ти ми мій твій дякую будь ласка
        привіт вітаю доброго ранку напиши поясни можеш допомога допоможи потрібно хочу це на
        із у""",
    "bg": """
        какво как кой къде кога защо коя кои за с и не аз ти ние моя твоя благодаря моля
        здравей здравейте добро утро напиши обясни можеш помощ трябва искам това на от е са""",
    "ar": """
        ما ماذا كيف من أين متى لماذا هل هي هو في على إلى مع لا أنا أنت شكرا مرحبا السلام
        عليكم صباح الخير اكتب اشرح ساعدني أريد هذا هذه""",
    "fa": """
        چه چی چطور چگونه که کجا کی چرا است هست در از به با و نه من تو ما ممنون مرسی لطفا
        سلام صبح بخیر بنویس توضیح بده کمک میخواهم این آن را""",
    "hi": """
        क्या कैसे कौन कहाँ कब क्यों है हैं में से को के का की और नहीं मैं आप हम धन्यवाद
        कृपया नमस्ते लिखो लिखें समझाओ बताओ मदद चाहिए यह वह""",
    "mr": """
        काय कसे कोण कुठे कधी का आहे आहेत मध्ये आणि नाही मी तुम्ही आम्ही धन्यवाद कृपया
        नमस्कार लिहा सांगा मदत हवे हे ते""",
}


def by_word() -> dict[str, tuple[str, ...]]:
    """Word -> the languages that use it."""
    table: dict[str, tuple[str, ...]] = {}
    for code, listed in LISTS.items():
        for word in dict.fromkeys(listed.split()):
            table[word] = (*table.get(word, ()), code)
    return table
