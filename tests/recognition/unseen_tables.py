"""Sixty more invented tables of people x events, written without a look at how their keys are found."""

from __future__ import annotations

import hashlib
import uuid
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

Rows = NDArray[np.int64]


def unseen_tables(seed: int = 1) -> list[tuple[str, pl.DataFrame, Rows]]:
    """Each with its name and whose row each row truly is."""
    r = np.random.default_rng(seed)
    tables: list[tuple[str, pl.DataFrame, Rows]] = []

    def ppl(p: int, n: int) -> Rows:
        more = r.choice(p, n - p, p=r.dirichlet(np.full(p, 0.9)))
        return np.asarray(r.permutation(np.concatenate([np.arange(p), more])))

    def num(of: Rows, start: int = 1) -> list[int]:
        keys = np.unique(of)
        drawn = dict(
            zip(keys.tolist(), (r.permutation(len(keys) * 3)[: len(keys)] + start).tolist(), strict=True)
        )
        return [drawn[i] for i in of.tolist()]

    def code(of: Rows, pre: str) -> list[str]:
        return [f"{pre}{i:05d}" for i in num(of, 100)]

    def uu(of: Rows) -> list[str]:
        keys = {int(i): str(uuid.UUID(bytes=r.bytes(16), version=4)) for i in np.unique(of)}
        return [keys[int(i)] for i in of]

    def hx(of: Rows, length: int = 16) -> list[str]:
        return [hashlib.sha256(f"{seed}{int(i)}".encode()).hexdigest()[:length] for i in of]

    def each(of: Rows, values: Any) -> list[Any]:
        drawn: list[Any] = r.choice(list(values), int(of.max()) + 1)[of].tolist()
        return drawn

    def some(n: int, *values: Any) -> list[Any]:
        drawn: list[Any] = r.choice(list(values), n).tolist()
        return drawn

    def date(n: int) -> list[str]:
        return [str(np.datetime64("2020-01-01") + int(i)) for i in r.integers(0, 900, n)]

    def amt(n: int, middle: float = 100) -> list[float]:
        drawn: list[float] = np.round(r.lognormal(np.log(middle), 0.8, n), 2).tolist()
        return drawn

    def ev(of: Rows, k: int) -> Rows:
        return np.asarray(of * 1000 + r.integers(0, np.maximum(np.bincount(of) // k, 1)[of]))

    def add(name: str, whose: Rows, **columns: Any) -> None:
        tables.append((name, pl.DataFrame(columns, strict=False), whose))

    n = 600
    w = ppl(110, n)
    e = ev(w, 3)
    row = np.arange(n)
    towns = ["Ash", "Bur", "Cor", "Dov", "Ely", "Fay"]
    add(
        "exam attempts",
        w,
        student_no=num(w, 10000),
        exam=some(n, *[f"M{i}" for i in range(12)]),
        attempt=some(n, 1, 2, 3),
        mark=some(n, *range(100)),
        sex=each(w, "fm"),
    )
    add(
        "exams by candidate code",
        w,
        Cand=code(w, "C"),
        paper=some(n, *"ABCD"),
        grade=some(n, *"ABCDE"),
        school=each(w, ["H", "L", "S"]),
    )
    add(
        "library",
        w,
        borrower=num(w, 2000),
        book_id=num(r.integers(0, 300, n)),
        due=date(n),
        branch=some(n, *towns),
    )
    add(
        "bike",
        w,
        trip_id=row + 1,
        bikeid=r.integers(0, 80, n),
        user_hash=hx(w),
        usertype=each(w, ["sub", "cust"]),
        started=date(n),
    )
    add(
        "fines",
        w,
        plate=[f"GZ-{i} XY" for i in num(w, 100)],
        officer_badge=some(n, *range(40)),
        fine=some(n, 20, 30, 50),
        date=date(n),
        street=some(n, *[f"{t} road" for t in towns]),
    )
    add(
        "taxi",
        w,
        medallion=hx(r.integers(0, 60, n), 32),
        hack_license=hx(w, 32),
        fare=amt(n, 12),
        pickup=date(n),
    )
    add(
        "prescriptions",
        w,
        nhs_pseudo=hx(w, 20),
        practice=some(n, *[f"P{i}" for i in range(20)]),
        bnf=some(n, "0212", "0403", "0601"),
        items=some(n, 1, 2, 3),
        age=each(w, range(90)),
    )
    hh = np.repeat(np.arange(80), r.integers(1, 6, 80))
    no = np.concatenate([np.arange(1, c + 1) for c in np.bincount(hh)])
    m = len(hh)
    per = np.arange(m)
    add(
        "roster",
        per,
        hhid=(hh + 1001).tolist(),
        pernum=no.tolist(),
        age=r.integers(0, 90, m).tolist(),
        sex=some(m, "f", "m"),
        income=amt(m, 1000),
    )
    W = np.tile(per, 4)
    add(
        "roster waves",
        W,
        hid=(np.tile(hh, 4) + 1001).tolist(),
        pno=np.tile(no, 4).tolist(),
        wave=np.repeat([1, 2, 3, 4], m).tolist(),
        sex=each(W, "fm"),
        health=some(4 * m, 1, 2, 3),
    )
    add(
        "household panel income",
        W,
        hh_number=(np.tile(hh, 4) + 1001).tolist(),
        member=np.tile(no, 4).tolist(),
        year=np.repeat([2010, 2011, 2012, 2013], m).tolist(),
        inc=amt(4 * m, 900),
    )
    farm = r.integers(0, 90, n)
    add(
        "dairy",
        farm,
        FARM=num(farm, 300),
        cow=num(row),
        milk=amt(n, 20),
        herd_size=each(farm, range(10, 90)),
        district=each(farm, towns),
    )
    add(
        "terms",
        w,
        UPN=code(w, "A"),
        term=some(n, "aut", "spr", "sum"),
        absences=some(n, *range(20)),
        fsm=each(w, [0, 1]),
        ethnicity=each(w, ["w", "b", "a"]),
    )
    add(
        "tweets",
        w,
        tweet_id=(10**18 + row).tolist(),
        author_id=[10**9 + i for i in num(w)],
        conversation_id=[10**18 + int(i) for i in e],
        text=[
            f"word {i} and {j} with more things here" for i, j in zip(row, some(n, *range(50)), strict=True)
        ],
        lang=each(w, ["en", "de"]),
    )
    add(
        "forum",
        w,
        username=[f"user_{i}" for i in num(w)],
        thread=num(r.integers(0, 90, n)),
        posted=date(n),
        karma=each(w, range(1000)),
    )
    add(
        "coborrow",
        w,
        app_no=num(row, 900),
        ssn_hash=hx(w, 40),
        amount=amt(n, 9000),
        term=some(n, 36, 60),
        state=each(w, ["CA", "TX", "NY"]),
    )
    add(
        "claims2",
        w,
        policy_no=num(w, 7000),
        claim_no=num(row, 90000),
        peril=some(n, "fire", "water"),
        paid=amt(n),
        age=each(w, range(18, 90)),
    )
    ad = ev(w, 2)
    icu = ad * 7 + r.integers(0, 2, n)
    add(
        "mimic",
        w,
        subject_id=num(w, 10000),
        hadm_id=num(ad, 100000),
        icustay_id=num(icu, 200000),
        los=amt(n, 3),
        gender=each(w, "FM"),
        dob=each(w, date(200)),
    )
    add(
        "synthea enc",
        w,
        Id=uu(row),
        START=date(n),
        PATIENT=uu(w),
        ORGANIZATION=uu(r.integers(0, 20, n)),
        PROVIDER=uu(r.integers(0, 40, n)),
        PAYER=uu(r.integers(0, 5, n)),
        ENCOUNTERCLASS=some(n, "amb", "er"),
        CODE=some(n, 185345009, 162673000, 50849002),
        BASE_ENCOUNTER_COST=amt(n),
    )
    add(
        "synthea obs",
        w,
        DATE=date(n),
        PATIENT=uu(w),
        ENCOUNTER=uu(e),
        CODE=some(n, "8302-2", "29463-7", "8480-6"),
        VALUE=amt(n, 80),
        UNITS=some(n, "cm", "kg"),
    )
    w27 = ppl(27, n)
    add(
        "synthea 27",
        w27,
        START=date(n),
        STOP=date(n),
        PATIENT=uu(w27),
        ENCOUNTER=uu(ev(w27, 2)),
        CODE=some(n, 444814009, 195662009, 10509002),
        DESCRIPTION=some(n, "Viral sinusitis (disorder)", "Acute bronchitis (disorder)"),
    )
    add("synthea enc only", w27, Id=uu(row), PATIENT=uu(w27), TYPE=some(n, "x", "y"))
    add(
        "trial",
        w,
        STUDYID=["S1"] * n,
        USUBJID=[f"S1-{i:04d}" for i in num(w)],
        VISITNUM=some(n, 1, 2, 3, 4),
        AVAL=amt(n, 5),
        SEX=each(w, "FM"),
        AGE=each(w, range(18, 80)),
    )
    add(
        "ema",
        w,
        ParticipantIdentifier=num(w, 1),
        prompt=some(n, *range(60)),
        mood=some(n, 1, 2, 3, 4, 5),
        when=date(n),
    )
    add(
        "web",
        w,
        cookie=hx(w, 24),
        session_id=uu(e),
        url=some(n, "/a", "/b"),
        ts=date(n),
        country=each(w, ["AT", "DE"]),
    )
    add(
        "calls",
        w,
        caller=[f"+43 660 {4000000 + i * 131}" for i in num(w)],
        callee=[f"+43 664 {4000000 + i * 17}" for i in r.integers(0, 9000, n)],
        secs=some(n, *range(900)),
        cell=some(n, *range(40)),
    )
    add("gym", w, card_no=num(w, 50000), checkin=date(n), club=some(n, *towns), tariff=each(w, ["S", "M"]))
    w36 = ppl(36, n)
    add(
        "absenteeism",
        w36,
        ID=(w36 + 1).tolist(),
        reason=some(n, *range(28)),
        month=some(n, *range(1, 13)),
        distance=each(w36, range(5, 50)),
        age=each(w36, range(27, 58)),
        weight=each(w36, range(56, 108)),
        hours=some(n, 1, 2, 4, 8),
    )
    add(
        "ratings",
        w,
        userId=num(w),
        movieId=num(r.integers(0, 300, n)),
        rating=some(n, 1, 2, 3, 4, 5),
        timestamp=[1500000000 + i * 37 for i in range(n)],
    )
    add(
        "dental",
        w,
        **{
            "Patient No.": num(w, 300),
            "Visit #": num(row),
            "Tooth": some(n, *range(11, 49)),
            "Fee": amt(n, 80),
        },
    )
    add(
        "offences",
        w,
        offender_key=num(w, 300),
        offence_id=num(row),
        court=some(n, *towns),
        sentence=some(n, 0, 3, 6, 12),
        race=each(w, ["w", "b", "h"]),
    )
    add("vessels", w, vessel_id=code(w, "V"), trip=num(row), catch=amt(n, 300), port=each(w, towns))
    site = r.integers(0, 6, 110)
    sub = np.zeros(110, dtype=np.int64)
    for s in range(6):
        sub[site == s] = np.arange((site == s).sum()) + 1
    add(
        "site+subject",
        w,
        site=(site[w] + 1).tolist(),
        subject_no=sub[w].tolist(),
        visit=some(n, 1, 2, 3, 4),
        sbp=some(n, *range(90, 180)),
        sex=each(w, "FM"),
        birth_year=each(w, range(1930, 2000)),
    )
    add(
        "site+subject bare",
        w,
        centre=[f"C{i}" for i in site[w]],
        subj=sub[w].tolist(),
        visit_date=date(n),
        score=some(n, *range(60)),
    )
    add(
        "school+pupil",
        w,
        school_id=(site[w] + 1).tolist(),
        pupil_nr=sub[w].tolist(),
        term=some(n, 1, 2, 3),
        marks=some(n, *range(1, 6)),
        gender=each(w, "fm"),
    )
    add("uuid upper", w, k=[x.upper() for x in uu(w)], d=date(n), x=amt(n))
    add(
        "email",
        w,
        email=[f"p{i}@ex.org" for i in num(w)],
        sku=some(n, *range(80)),
        qty=some(n, 1, 2, 3),
        city=each(w, towns),
    )
    fn = each(w, ["Anna", "Emil", "Ida", "Klaus", "Petra", "Uwe"])
    ln = each(w, ["Bauer", "Frank", "Jung", "Lang", "Weiss", "Vogel"])
    add(
        "names dob",
        w,
        first_name=fn,
        last_name=ln,
        dob=each(w, date(400)),
        dept=some(n, *"abc"),
        seen=date(n),
    )
    add("konto", w, Kontonr=num(w, 9000), Buchung=num(row), Betrag=amt(n), Datum=date(n))
    add(
        "semestre",
        w,
        matricula=num(w, 20180000),
        semestre=some(n, "1A", "2A", "3A"),
        nota=some(n, *range(10)),
        curso=each(w, ["dir", "med"]),
    )
    add(
        "runner",
        w,
        bib=r.integers(1, 3000, n),
        runner=[f"{a} {b} {i}" for a, b, i in zip(fn, ln, w, strict=True)],
        race=some(n, "Graz", "Wien", "Linz"),
        secs=r.integers(8000, 20000, n),
        club=each(w, towns),
    )
    add(
        "mrn csn",
        w,
        MRN=num(w, 3000000),
        CSN=num(e, 50000000),
        arrive=date(n),
        triage=some(n, 1, 2, 3, 4, 5),
        sex=each(w, "FM"),
    )
    add(
        "hospital number",
        w,
        hospital_number=num(w, 300000),
        admitted=date(n),
        ward=some(n, *"ABCD"),
        age=each(w, range(90)),
    )
    add(
        "childid",
        w,
        childid=num(w, 1),
        siteid=(site[w] + 1).tolist(),
        visit_month=some(n, *range(0, 25, 3)),
        haz=np.round(r.normal(-1, 1, n), 2).tolist(),
        sex=each(w, [1, 2]),
    )
    add("hashes only", w, a=hx(w, 32), b=hx(e, 32), c=amt(n), d=some(n, *towns))
    add(
        "loan book bank",
        w,
        loan_account=num(e, 5000),
        cust_ref=num(w, 100),
        balance=amt(n, 5000),
        month=some(n, *range(1, 13)),
        region=each(w, towns),
    )
    add("numbers only", w, nr=num(w), datum=date(n), wert=amt(n))
    add(
        "worker shifts",
        w,
        badge=num(w, 1000),
        shift=some(n, "d", "n"),
        hours=some(n, 4, 8, 12),
        plant=each(w, towns),
        gender=each(w, "fm"),
    )
    add(
        "tenancies",
        w,
        tenant_ref=code(w, "T"),
        property_ref=code(r.integers(0, 90, n), "P"),
        rent=amt(n, 600),
        start=date(n),
    )
    add(
        "dates of birth and zip",
        w,
        dob=each(w, date(500)),
        zip=each(w, range(8000, 8050)),
        sex=each(w, "fm"),
        diag=some(n, "I10", "E11", "J45"),
        adm=date(n),
    )
    add(
        "beneficiary",
        w,
        DESYNPUF_ID=hx(w, 16),
        CLM_ID=num(row, 10**10),
        CLM_PMT_AMT=amt(n),
        BENE_SEX=each(w, [1, 2]),
        BENE_BIRTH_YR=each(w, range(1920, 1990)),
    )
    add("crossover", w, id=(w + 1).tolist(), period=some(n, 1, 2), treat=some(n, "A", "B"), y=amt(n, 9))
    pp = np.repeat(np.arange(100), 6)
    add(
        "balanced bare panel",
        pp,
        unit=(pp + 1).tolist(),
        t=np.tile(np.arange(6), 100).tolist(),
        x=amt(600),
        y=amt(600),
    )
    return tables
