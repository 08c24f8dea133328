        -- How likely chance alone reaches chi_square or more, with this many degrees of freedom: the regularised incomplete
        -- gamma function Q(degrees / 2, chi_square / 2). For whole degrees it is a finite sum, and exact.
        if(
            chi_square <= 0,
            1,
            if(degrees % 2 = 1, erfc(sqrt(chi_square / 2)), 0) + arraySum(
                k -> exp((k - 1 + degrees % 2 / 2) * log(chi_square / 2) - chi_square / 2 - lgamma(k + degrees % 2 / 2)),
                range(1, intDiv(degrees, 2) + 1)
            )
        ) as p_value
