    -- A name in a sentence must not turn the words and numbers after it round, so one that is not plain is isolated, and cannot end its isolate:
    -- FIRST STRONG ISOLATE, POP DIRECTIONAL ISOLATE, and for all such characters in it REPLACEMENT CHARACTER.
    name -> if(
        match(name, '[^ -~]'),
        concat(
            unhex('E281A8'),
            replaceRegexpAll(name, concat('[', unhex('E281A6E281A7E281A8E281A9E280A8E280A9'), ']'), unhex('EFBFBD')),
            unhex('E281A9')
        ),
        name
    ) as isolated,
