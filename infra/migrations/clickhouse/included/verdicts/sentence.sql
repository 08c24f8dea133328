    -- Words and names in turn. A name in a sentence must not turn the words and numbers after it round, so one that is not plain is isolated, and
    -- cannot end its isolate: FIRST STRONG ISOLATE, POP DIRECTIONAL ISOLATE, and for all such characters in it REPLACEMENT CHARACTER.
    arrayStringConcat(arrayMap(
        (part, place) -> if(
            place % 2 = 0 and match(part, '[^ -~]'),
            concat(
                unhex('E281A8'),
                replaceRegexpAll(part, concat('[', unhex('E281A6E281A7E281A8E281A9E280A8E280A9'), ']'), unhex('EFBFBD')),
                unhex('E281A9')
            ),
            part
        ),
        parts,
        arrayEnumerate(parts)
    )) as sentence
